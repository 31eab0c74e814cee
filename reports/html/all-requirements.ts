/** Every requirement of the run by section, for looking up and for filtering. */

import {
  verdicts,
  type ConformanceReport,
  type RequirementResult,
  type TargetResult,
} from '../../schemas/report.ts';
import { byText } from '../order.ts';
import { plural } from '../wording.ts';
import { requirementAnchor } from './anchors.ts';
import type { ExchangeLookup } from './broken.ts';
import { exchangeFold } from './exchange.ts';
import { markup, nothing, type Markup } from './markup.ts';
import type { Space } from './space.ts';

const SHOWN_REASON = 400;

export function allRequirements(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangeLookup,
  space: Space,
): Markup {
  const results = report.requirements.filter(({ target: name }) => name === target.name);
  const sections = [...new Set(results.map(({ section }) => section))].toSorted(byText);
  return markup`${filterForm(results)}${sections.map((section) =>
    sectionFold(
      report,
      section,
      results.filter((result) => result.section === section),
      exchanges,
      space,
    ),
  )}
    <p class="note none" hidden>No requirement fits the filter.</p>`;
}

/** Shown by the script alone: without it there is nothing that would filter. */
function filterForm(results: readonly RequirementResult[]): Markup {
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
  </form>`;
}

function sectionFold(
  report: ConformanceReport,
  section: string,
  results: readonly RequirementResult[],
  exchanges: ExchangeLookup,
  space: Space,
): Markup {
  const broken = results.filter(
    ({ verdict }) => verdict === 'failed' || verdict === 'warned',
  ).length;
  const held = results.filter(
    ({ verdict }) => verdict === 'passed' || verdict === 'observed',
  ).length;
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
  exchanges: ExchangeLookup,
): Markup {
  const { verdict, id, statement, reason, observations, sample } = result;
  const anchor = requirementAnchor(report, result.target, id);
  const broken = verdict === 'failed' || verdict === 'warned';
  const exchange = sample === undefined || broken ? undefined : exchanges.get(sample);
  return markup`<li
    class="requirement"
    data-verdict="${verdict}"
    ${broken ? nothing : markup` id="${anchor}"`}
  >
    <span class="badge ${verdict}">${words(verdict)}</span>
    ${broken ? markup`<a href="#${anchor}">${id}</a>` : markup`<code>${id}</code>`}
    <span class="faint">${result.strength}, seen ${plural(observations, 'time')}${result.tries === undefined ? '' : `, right on try ${result.tries}`}</span
    ><br />${statement}${reason === undefined ? nothing : markup`<br /><span class="faint">${reason.slice(0, SHOWN_REASON)}</span>`}${exchange === undefined ? nothing : exchangeFold(exchange)}
  </li>`;
}

function words(verdict: RequirementResult['verdict']): string {
  return verdict.replace('-', ' ');
}
