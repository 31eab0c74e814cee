/** What the run could not tell: our errors, what was inconclusive, and what was not exercised with the lines that would. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../../schemas/report.ts';
import { missingGroups, type MissingGroup } from '../missing.ts';
import { plural } from '../wording.ts';
import { requirementAnchor } from './anchors.ts';
import { markup, nothing, type Markup } from './markup.ts';

const SHOWN_STACK = 2_000;
const SHOWN_TROUBLES = 20;

export function notExercisedSection(report: ConformanceReport, target: TargetResult): Markup {
  const groups = missingGroups(report, target.name).filter(
    ({ requirements }) => requirements.length > 0,
  );
  if (groups.length === 0) return markup`<p>Every requirement of this run was exercised.</p>`;
  const withLine = groups.filter(({ line }) => line !== undefined);
  const without = groups.filter(({ line }) => line === undefined);
  const where = target.file === undefined ? 'a target file' : target.file;
  return markup`${
    withLine.length > 0
      ? markup`<p>
              Add these lines to <code>${where}</code>; lines that begin with the same word become one.
            </p>`
      : nothing
  }${withLine.map(
    (group) =>
      markup`<div class="missing">
        <p class="faint">${group.reasons[0]}</p>
        <pre tabindex="0">${group.line}</pre>
        ${names(report, target, group)}
      </div>`,
  )}
  ${
    without.length > 0
      ? markup`<h4>Where no line would help</h4>
          ${without.map(
            (group) =>
              markup`<div class="missing">
                <p>${group.reasons[0]}</p>
                ${names(report, target, group)}
              </div>`,
          )}`
      : nothing
  }`;
}

function names(
  report: ConformanceReport,
  target: TargetResult,
  { requirements }: MissingGroup,
): Markup {
  return markup`<details>
    <summary>${plural(requirements.length, 'requirement')}</summary>
    <ul class="ids">
      ${requirements.map((id) => markup`<li><a href="#${requirementAnchor(report, target.name, id)}">${id}</a></li>`)}
    </ul>
  </details>`;
}

/** Nothing when there was no doubt. */
export function doubtSection(report: ConformanceReport, target: TargetResult): Markup {
  const of = (verdict: RequirementResult['verdict']) =>
    report.requirements.filter(
      (result) => result.target === target.name && result.verdict === verdict,
    );
  const troubles = report.troubles.filter(
    ({ target: name }) => name === target.name || name === '',
  );
  return markup`${reasons('Inconclusive', of('inconclusive'))}${reasons('No verdict, because the suite failed', of('error'))}
  ${
    troubles.length === 0
      ? nothing
      : markup`<h4>Errors of ours</h4>
          <p class="faint">They say nothing about the target.</p>
          ${troubles.slice(0, SHOWN_TROUBLES).map(
            ({ case: name, message, stack }) =>
              markup`<details>
                <summary>${name}: ${message.slice(0, SHOWN_STACK)}</summary>
                <pre tabindex="0">${(stack ?? 'no stack').slice(0, SHOWN_STACK)}</pre>
              </details>`,
          )}`
  }`;
}

function reasons(title: string, results: readonly RequirementResult[]): Markup {
  if (results.length === 0) return nothing;
  return markup`<h4>${title}</h4>
    <ul>
      ${results.map(({ id, reason }) => markup`<li><code>${id}</code>: ${(reason ?? '').slice(0, SHOWN_STACK)}</li>`)}
    </ul>`;
}
