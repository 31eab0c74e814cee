/** Every requirement with its verdict, and what was not exercised with the line to add. */

import {
  type ConformanceReport,
  type RequirementResult,
  type TargetResult,
  verdicts,
} from '../../schemas/report.ts';
import { doubtsOf } from '../model/doubts.ts';
import type { ExchangesById } from '../model/evidence.ts';
import { ofSuite } from '../model/lost.ts';
import { type Standing, standings } from '../model/verdict.ts';
import { type MissingGroup, missingGroups } from '../model/conclusions.ts';
import { distinct, plural } from '../model/text.ts';
import { linkTo, markup, type Markup, nothing, targetAnchor, type Space } from './document.ts';
import { exchangeFold } from './broken.ts';

const SHOWN_STACK = 2_000;
const SHOWN_TROUBLES = 20;

export function notExercisedSection(report: ConformanceReport, target: TargetResult): Markup {
  const groups = missingGroups(report, target.name);
  if (groups.length === 0) return markup`<p>Every requirement of this run was exercised.</p>`;
  const withLine = groups.filter(({ line }) => line !== undefined);
  const without = groups.filter(({ line }) => line === undefined);
  const where = target.file ?? 'a target file';
  return markup`${
    withLine.length > 0 &&
    markup`<p>
              Add these lines to <code>${where}</code>; lines that begin with the same word become one.
            </p>`
  }${withLine.map(
    (group) =>
      markup`<div class="missing" data-verdict="not-exercised">
        <p class="faint">${group.reasons[0]}</p>
        <pre>${group.line}</pre>
        ${names(report, target, group)}
      </div>`,
  )}
  ${
    without.length > 0 &&
    markup`<h3>Where no line would help</h3>
          ${without.map(
            (group) =>
              markup`<div class="missing" data-verdict="not-exercised">
                <p>${group.reasons[0]}</p>
                ${names(report, target, group)}
              </div>`,
          )}`
  }`;
}

function names(
  report: ConformanceReport,
  target: TargetResult,
  { requirements }: Pick<MissingGroup, 'requirements'>,
): Markup {
  return markup`<details>
    <summary>${plural(requirements.length, 'requirement')}</summary>
    <ul class="ids">
      ${requirements.map((id) => markup`<li>${linkTo(report, target.name, id)}</li>`)}
    </ul>
  </details>`;
}

/** Nothing when there was no doubt. */
export function doubtSection(report: ConformanceReport, target: TargetResult): Markup {
  const of = (verdict: RequirementResult['verdict']) =>
    report.requirements.filter(
      (result) => result.target === target.name && result.verdict === verdict,
    );
  const troubles = ofSuite(report).filter(
    ({ target: name }) => name === target.name || name === '',
  );
  return markup`${doubts(report, target)}${reasons('No verdict, because the suite failed', of('error'))}
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

/** Grouped by reason, each requirement with a link to what is told of it. */
function doubts(report: ConformanceReport, target: TargetResult): Markup {
  const groups = doubtsOf(report, target.name);
  if (groups.length === 0) return nothing;
  return markup`<ul class="doubts">
      ${groups.map(
        ({ reason, results, after }) =>
          markup`<li data-verdict="inconclusive">
            ${reason.slice(0, SHOWN_STACK)}${after.length > 0 && markup` <span class="faint">The same cases found ${after.map((id, at) => [at > 0 && ', ', linkTo(report, target.name, id)])} broken.</span>`}
            ${names(report, target, { requirements: results.map(({ id }) => id) })}
          </li>`,
      )}
    </ul>`;
}

function reasons(title: string, results: readonly RequirementResult[]): Markup {
  if (results.length === 0) return nothing;
  return markup`<h3>${title}</h3>
    <ul>
      ${results.map(({ id, reason }) => markup`<li><code>${id}</code>: ${(reason ?? '').slice(0, SHOWN_STACK)}</li>`)}
    </ul>`;
}

const SHOWN_REASON = 400;

export function allRequirements(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangesById,
  space: Space,
): Markup {
  const results = report.requirements.filter(({ target: name }) => name === target.name);
  const sections = distinct(results.map(({ section }) => section));
  return markup`${sections.map((section) =>
    sectionFold(
      report,
      section,
      results.filter((result) => result.section === section),
      exchanges,
      space,
    ),
  )}`;
}

/** Of all parts of the page. Shown by the script alone: without it there is nothing that would filter. */
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

function sectionFold(
  report: ConformanceReport,
  section: string,
  results: readonly RequirementResult[],
  exchanges: ExchangesById,
  space: Space,
): Markup {
  const count = (standing: Standing): number =>
    results.filter(({ verdict }) => standings[verdict] === standing).length;
  const [held, broken] = [count('held'), count('broken')];
  const counts = [
    `${held} of ${plural(results.length, 'requirement')} held or observed`,
    ...(broken > 0 ? [`${broken} broken`] : []),
  ].join(', ');
  return markup`<details class="section">
    <summary><b>${section}</b> <span class="faint">${counts}</span></summary>
    <ul class="requirements">
      ${results.map((result) =>
        space.first(
          () => row(report, result, exchanges),
          () => row(report, result, new Map()),
        ),
      )}
    </ul>
  </details>`;
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
