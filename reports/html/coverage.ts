/** Which answers were seen where, as a table shaded by how often. */

import type { TargetResult } from '../../schemas/report.ts';
import { byText } from '../order.ts';
import { visibleLine } from '../visible-text.ts';
import { markup, type Markup, nothing } from './markup.ts';

interface Cell {
  readonly row: string;
  readonly column: string;
  readonly count: number;
}

/** A hostile server can answer with endless different codes. */
const MAX_ROWS = 60;
const MAX_COLUMNS = 40;
const SHADES = 4;

/** Status and code by operation, and by the section that provoked them where one did. */
export function coverageSection({ traffic, provocations }: TargetResult): Markup {
  if (traffic.length === 0) return markup`<p>No traffic.</p>`;
  const byOperation = traffic.map(({ operation, status, code, count }) => ({
    row: visibleLine(operation, 60),
    column: answerOf(status, code),
    count,
  }));
  const bySection = provocations.map(({ section, status, code, count }) => ({
    row: answerOf(status, code),
    column: section,
    count,
  }));
  return markup`${matrix('Answers by operation', byOperation)}
  ${bySection.length === 0 ? nothing : matrix('Answers by the section of the suite that provoked them', bySection)}`;
}

function answerOf(status: number, code: string): string {
  return `${status === 0 ? 'no status' : status} ${visibleLine(code, 60)}`.trim();
}

function matrix(caption: string, cells: readonly Cell[]): Markup {
  const counts = new Map<string, number>();
  for (const { row, column, count } of cells) {
    const key = `${row}\n${column}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  const rows = [...new Set(cells.map(({ row }) => row))].toSorted(byText).slice(0, MAX_ROWS);
  const columns = [...new Set(cells.map(({ column }) => column))]
    .toSorted(byText)
    .slice(0, MAX_COLUMNS);
  const most = Math.max(1, ...counts.values());
  const cell = (row: string, column: string) => {
    const count = counts.get(`${row}\n${column}`);
    return count === undefined
      ? markup`<td></td>`
      : markup`<td class="shade-${shadeOf(count, most)}">${count}</td>`;
  };
  return markup`<div class="scroll" tabindex="0">
    <table class="matrix">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <td></td>
          ${columns.map((column) => markup`<th scope="col"><span>${column}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            markup`<tr>
              <th scope="row">${row}</th>
              ${columns.map((column) => cell(row, column))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** 1 to 4, by the logarithm: one answer among thousands must stay visible. */
function shadeOf(count: number, most: number): number {
  return most === 1 ? 1 : 1 + Math.round((Math.log(count) / Math.log(most)) * (SHADES - 1));
}
