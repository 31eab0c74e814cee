/** What is known to be broken, and what became of it in this run. */

import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { deviationLines } from '../deviation-lines.ts';
import { markup, type Markup, nothing } from './markup.ts';

export function hasDeviations(report: ConformanceReport, target: TargetResult): boolean {
  return deviationLines(report, target.name).length > 0;
}

/** A list; where it is tracked is a link, which opens nothing by itself. */
export function deviationsSection(report: ConformanceReport, target: TargetResult): Markup {
  return markup`<ul>
    ${deviationLines(report, target.name).map(
      ({ result, deviation, text }) =>
        markup`<li><span class="badge ${result.verdict}">${deviation.state}</span> <code>${result.id}</code>: ${text} ${linkTo(deviation.link)}</li>`,
    )}
  </ul>`;
}

/** The form of a report allows any text here; only an address of the web becomes a link. */
function linkTo(link: string | undefined): Markup {
  if (link === undefined) return nothing;
  if (!/^https?:\/\//u.test(link)) return markup`<span class="faint">${link}</span>`;
  return markup`<a href="${link}" rel="noreferrer noopener">${link}</a>`;
}
