/** Which responses occurred for which operation, and how long they took. */

import type { TargetResult } from '../../schemas/report.ts';
import { byKey, distinct, duration, grouped, sum, visibleLine } from '../model/text.ts';
import { heads, markup, type Markup, scrolling } from './document.ts';

interface Cell {
  readonly row: string;
  readonly column: string;
  readonly count: number;
}

/** Limits for a hostile server that invents ever new codes. */
const MAX_ROWS = 60;
const MAX_COLUMNS = 40;
const SHADES = 4;

/** Status and code by operation, and by the section that provoked them. */
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
  ${bySection.length > 0 && matrix('Answers by the section of the suite that provoked them', bySection)}`;
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
  const rows = distinct(cells.map(({ row }) => row)).slice(0, MAX_ROWS);
  const columns = distinct(cells.map(({ column }) => column)).slice(0, MAX_COLUMNS);
  const most = Math.max(1, ...counts.values());
  const cell = (row: string, column: string) => {
    const count = counts.get(`${row}\n${column}`);
    return count === undefined
      ? markup`<td></td>`
      : markup`<td class="shade-${shadeOf(count, most)}">${count}</td>`;
  };
  return scrolling(
    {
      kind: 'matrix',
      caption,
      head: [
        markup`<td></td>`,
        columns.map((column) => markup`<th scope="col"><span>${column}</span></th>`),
      ],
    },
    rows.map(
      (row) =>
        markup`<tr>
              <th scope="row">${row}</th>
              ${columns.map((column) => cell(row, column))}
            </tr>`,
    ),
  );
}

/** Shade 1 to 4 on a logarithmic scale, so that one response among thousands stays visible. */
function shadeOf(count: number, most: number): number {
  return most === 1 ? 1 : 1 + Math.round((Math.log(count) / Math.log(most)) * (SHADES - 1));
}

const WIDTH = 400;
const HEIGHT = 22;

interface Operation {
  readonly name: string;
  readonly count: number;
  /** Ascending. */
  readonly latencies: readonly number[];
}

export function latencySection({ traffic }: TargetResult): Markup {
  const byOperation = [...grouped(traffic, ({ operation }) => operation)];
  const operations = byOperation
    .map(([name, rows]): Operation => {
      return {
        name,
        count: sum(rows, ({ count }) => count),
        latencies: rows
          .flatMap(({ latencies }) => latencies)
          .toSorted((left, right) => left - right),
      };
    })
    .toSorted(byKey(({ name }) => name));
  const measured = operations.flatMap(({ latencies }) => latencies);
  if (measured.length === 0) return markup`<p>Nothing was measured.</p>`;
  const scale = scaleOver(measured);
  return scrolling(
    {
      kind: 'latency',
      caption:
        'A thin line from the fastest to the slowest, a box around the middle half, a stroke at the median; the scale is logarithmic.',
      head: heads(['Operation', 'Requests', 'Median', '95 of 100', 'Slowest', 'Spread']),
    },
    operations.map((operation) => latencyRow(operation, scale)),
  );
}

function latencyRow({ name, count, latencies }: Operation, scale: (ms: number) => number): Markup {
  const at = (share: number) => duration(quantile(latencies, share));
  return markup`<tr>
    <th scope="row">${name}</th>
    <td>${count}</td>
    <td>${at(0.5)}</td>
    <td>${at(0.95)}</td>
    <td>${at(1)}</td>
    <td>${spread(latencies, scale)}</td>
  </tr>`;
}

function spread(latencies: readonly number[], scale: (ms: number) => number): Markup {
  const x = (share: number) => scale(quantile(latencies, share)).toFixed(1);
  const width = Math.max(2, Number(x(0.75)) - Number(x(0.25))).toFixed(1);
  return markup`<svg class="spread" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
    <line class="axis" x1="${x(0)}" x2="${x(1)}" y1="11" y2="11" />
    <rect class="fill-observed" x="${x(0.25)}" y="4" width="${width}" height="14" rx="2" />
    <line class="median" x1="${x(0.5)}" x2="${x(0.5)}" y1="2" y2="20" />
  </svg>`;
}

/** Maps milliseconds to a horizontal position. */
function scaleOver(measured: readonly number[]): (ms: number) => number {
  const logs = measured.map((ms) => Math.log10(Math.max(ms, 0.1)));
  const least = logs.reduce((left, right) => Math.min(left, right));
  const most = logs.reduce((left, right) => Math.max(left, right));
  const span = most - least || 1;
  return (ms) => 4 + ((Math.log10(Math.max(ms, 0.1)) - least) / span) * (WIDTH - 8);
}

/** The quantile `share` of an ascending list, 0 if it is empty. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
