/** Every requirement with its verdict, and the lines to add for those that were not exercised. */

import {
  type ConformanceReport,
  type RequirementResult,
  type TargetResult,
  verdicts,
} from '../../schemas/report.ts';
import { doubtsOf } from '../model/causes.ts';
import { type ExchangesById, resultsOf } from '../model/evidence.ts';
import { ofSuite } from '../model/lost.ts';
import { type Standing, standings } from '../model/verdict.ts';
import { type MissingGroup, missingGroups } from '../model/conclusions.ts';
import { byKey, grouped, plural } from '../model/text.ts';
import { linkTo, markup, type Markup, nothing, targetAnchor, type Space } from './document.ts';
import { exchangeFold } from './broken.ts';

const SHOWN_STACK = 2_000;
const SHOWN_TROUBLES = 20;

export function notExercisedSection(report: ConformanceReport, target: TargetResult): Markup {
  const groups = missingGroups(report, target.name);
  if (groups.length === 0) return markup`<p>Every requirement of this run was exercised.</p>`;
  const helped = groups.filter(({ line }) => line !== undefined);
  const others = groups.filter(({ line }) => line === undefined);
  const card = ({ line, reasons, requirements }: MissingGroup) =>
    markup`<div class="missing" data-verdict="not-exercised">
      <p${line !== undefined && markup` class="faint"`}>${reasons[0]}</p>
      ${line !== undefined && markup`<pre>${line}</pre>`}
      ${names(report, target, requirements)}
    </div>`;
  return markup`${
    helped.length > 0 &&
    markup`<p>
      Add these lines to <code>${target.file ?? 'a target file'}</code>; lines that begin with the same word become one.
    </p>`
  }${helped.map(card)}
  ${others.length > 0 && markup`<h3>Where no line would help</h3> ${others.map(card)}`}`;
}

function names(report: ConformanceReport, target: TargetResult, ids: readonly string[]): Markup {
  return markup`<details>
    <summary>${plural(ids.length, 'requirement')}</summary>
    <ul class="ids">
      ${ids.map((id) => markup`<li>${linkTo(report, target.name, id)}</li>`)}
    </ul>
  </details>`;
}

/** Empty if everything was decided. */
export function doubtSection(report: ConformanceReport, target: TargetResult): Markup {
  const unjudged = resultsOf(report, target.name).filter(({ verdict }) => verdict === 'error');
  const troubles = ofSuite(report).filter(
    ({ target: name }) => name === target.name || name === '',
  );
  return markup`${doubts(report, target)}${
    unjudged.length > 0 &&
    markup`<h3>No verdict, because the suite failed</h3>
    <ul>
      ${unjudged.map(({ id, reason = '' }) => markup`<li><code>${id}</code>: ${reason.slice(0, SHOWN_STACK)}</li>`)}
    </ul>`
  }
  ${
    troubles.length > 0 &&
    markup`<h3>Suite errors</h3>
          <p class="faint">They say nothing about the target.</p>
          ${troubles.slice(0, SHOWN_TROUBLES).map(
            ({ case: name, message, stack }) =>
              markup`<details>
                <summary>${name}: ${message.slice(0, SHOWN_STACK)}</summary>
                <pre>${(stack ?? 'no stack').slice(0, SHOWN_STACK)}</pre>
              </details>`,
          )}`
  }`;
}

/** Grouped by reason, with a link to each requirement. */
function doubts(report: ConformanceReport, target: TargetResult): Markup {
  const groups = doubtsOf(report, target.name);
  if (groups.length === 0) return nothing;
  return markup`<ul class="doubts">
      ${groups.map(
        ({ reason, results, after }) =>
          markup`<li data-verdict="inconclusive">
            ${reason.slice(0, SHOWN_STACK)}${after.length > 0 && markup` <span class="faint">The same cases found ${after.map((id, at) => [at > 0 && ', ', linkTo(report, target.name, id)])} broken.</span>`}
            ${names(
              report,
              target,
              results.map(({ id }) => id),
            )}
          </li>`,
      )}
    </ul>`;
}

const SHOWN_REASON = 400;

export function allRequirements(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangesById,
  space: Space,
): Markup {
  const results = resultsOf(report, target.name);
  const rowOf = (result: RequirementResult) =>
    space.first(
      () => row(report, result, exchanges),
      () => row(report, result, new Map()),
    );
  return markup`${[...grouped(results, ({ section }) => section)]
    .toSorted(byKey(([section]) => section))
    .map(
      ([section, all]) => markup`<details class="section">
    <summary><b>${section}</b> <span class="faint">${countsOf(all)}</span></summary>
    <ul class="requirements">${all.map(rowOf)}</ul>
  </details>`,
    )}`;
}

function countsOf(results: readonly RequirementResult[]): string {
  const count = (standing: Standing): number =>
    results.filter(({ verdict }) => standings[verdict] === standing).length;
  const broken = count('broken');
  const held = `${count('held')} of ${plural(results.length, 'requirement')} held or observed`;
  return broken > 0 ? `${held}, ${broken} broken` : held;
}

/** Filters all parts of the page. Hidden until the script runs, since it needs the script. */
export function filterForm(results: readonly RequirementResult[]): Markup {
  const present = verdicts.filter((verdict) =>
    results.some((result) => result.verdict === verdict),
  );
  return markup`<form class="filter" hidden role="search">
    <label>Filter <input type="search" placeholder="id or words" autocomplete="off" /></label>
    <fieldset>
      <legend>Verdicts</legend>
      ${present.map((verdict) => markup`<label><input type="checkbox" value="${verdict}" checked /> ${words(verdict)}</label>`)}
    </fieldset>
    <button type="button" class="unfold">Open all</button>
    <button type="button" class="fold">Close all</button> <output aria-live="polite"></output>
    <span class="note none" hidden>No requirement fits the filter.</span>
  </form>`;
}

function row(
  report: ConformanceReport,
  result: RequirementResult,
  exchanges: ExchangesById,
): Markup {
  const { verdict, id, statement, reason, observations, sample } = result;
  const anchor = targetAnchor(report, result.target, id);
  const broken = standings[verdict] === 'broken';
  const exchange = sample === undefined || broken ? undefined : exchanges.get(sample);
  return markup`<li
    class="requirement"
    data-verdict="${verdict}"
    ${!broken && markup` id="${anchor}"`}
  >
    <span class="badge ${verdict}">${words(verdict)}</span>
    <a href="#${anchor}">${id}</a>
    <span class="faint">${result.strength}, seen ${plural(observations, 'time')}${result.tries !== undefined && `, right on try ${result.tries}`}</span
    ><br />${statement}${reason !== undefined && markup`<br /><span class="faint">${reason.slice(0, SHOWN_REASON)}</span>`}${exchange && exchangeFold(exchange)}
  </li>`;
}

function words(verdict: RequirementResult['verdict']): string {
  return verdict.replace('-', ' ');
}
