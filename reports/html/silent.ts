/** What the deployment does where the contract is silent: recorded, never judged. */

import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { visibleLine } from '../visible-text.ts';
import { markup, nothing, type Markup } from './markup.ts';

const SHOWN_NOTES = 8;
const SHOWN_TEXT = 400;

export function silentSection(report: ConformanceReport, target: TargetResult): Markup {
  const results = report.requirements.filter(
    ({ target: name, recordings }) => name === target.name && recordings.length > 0,
  );
  if (results.length === 0) return markup`<p>Nothing was recorded in this run.</p>`;
  return markup`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">What is open</th>
          <th scope="col">What was seen</th>
        </tr>
      </thead>
      <tbody>
        ${results.map(
          ({ id, statement, recordings }) =>
            markup`<tr>
              <th scope="row">
                <span class="statement">${statement}</span><br /><code class="faint">${id}</code>
              </th>
              <td>
                <ul class="plain">
                  ${recordings.slice(0, SHOWN_NOTES).map(({ note, count }) => markup`<li>${visibleLine(note, SHOWN_TEXT)}${count > 1 ? markup` <span class="faint">× ${count}</span>` : nothing}</li>`)}${recordings.length > SHOWN_NOTES ? markup`<li class="faint">and ${recordings.length - SHOWN_NOTES} more in conformance.json</li>` : nothing}
                </ul>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
