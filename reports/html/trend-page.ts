/** The history of many runs as a self-contained page, without requests or scripts. */

import type { Mark, Trend, TrendPoint, TrendRow } from '../model/trend.ts';
import { plural, utc } from '../model/text.ts';
import { countsSentence } from '../model/wording.ts';
import { documentOf, heads, markup, type Markup, scrolling, style } from './document.ts';

/** Maximum number of runs (the latest) and of rows. */
const SHOWN_RUNS = 120;
const SHOWN_ROWS = 300;

const WIDTH = 1_060;
const HEIGHT = 180;
const CELL = 10;

const marks: Readonly<Record<Mark, { readonly tone: string; readonly word: string }>> = {
  broken: { tone: 'failed', word: 'broken' },
  held: { tone: 'passed', word: 'held' },
  waived: { tone: 'waived', word: 'waived' },
  unjudged: { tone: 'missing', word: 'not judged' },
  absent: { tone: 'none', word: 'not in this run' },
};

const trendStyle = `${style}
.trend{display:block;width:100%;height:auto}.trend text{font-size:11px;fill:var(--faint)}
.strip{display:block;height:14px;max-width:none}.fill-none{fill:none;stroke:var(--line)}
.history th[scope=row]{max-width:26rem}.runs th,.runs td{overflow-wrap:normal}
main{padding-top:1rem}
`;

/** The complete HTML document. */
export function trendPage(trends: readonly Trend[]): string {
  const title = `History of ${trends.map(({ target }) => target).join(', ')}`;
  return documentOf(
    { title, style: trendStyle },
    markup`<main>${trends.map(trendSection)}</main>
        <footer>Made by plumbline from the results of earlier runs.</footer>`,
  );
}

function trendSection(trend: Trend, at: number): Markup {
  const points = trend.points.slice(-SHOWN_RUNS);
  const left = trend.points.length - points.length;
  // A partial run says nothing about the whole contract.
  const whole = points.findLast(({ scope }) => scope === '');
  const last = whole ?? points.at(-1);
  const which = last === points.at(-1) ? 'last' : 'last whole one';
  const shown = trend.rows.slice(0, SHOWN_ROWS);
  return markup`<section aria-labelledby="t${at}">
    <h1 id="t${at}">${trend.target} <span class="faint">${trend.contract}</span></h1>
    <p class="lead">${last === undefined ? '' : `${countsSentence(last.stated, 'stated')}, in the ${which} of ${plural(trend.points.length, 'run')}.`}</p>
    ${left > 0 && markup`<p class="note">The ${plural(left, 'run')} before these are not drawn.</p>`}
    ${chart(points)}
    <h2>Requirements that were ever broken</h2>
    ${shown.length === 0 ? markup`<p>None.</p>` : historyTable(shown, points)}
    ${trend.rows.length > shown.length && markup`<p class="note">And ${trend.rows.length - shown.length} more.</p>`}
    <h2>Runs</h2>
    ${runTable(points)}
  </section>`;
}

const layers = [
  ['held', 'passed', 'passed'],
  ['broken', 'failed', 'failed'],
  ['waived', 'waived', 'waived'],
  ['suite errors', 'error', 'error'],
  ['inconclusive', 'inconclusive', 'inconclusive'],
  ['not exercised', 'missing', 'notExercised'],
] as const;

/** One column per run, divided by the verdicts of the stated requirements. */
function chart(points: readonly TrendPoint[]): Markup {
  const most = Math.max(1, ...points.map(({ stated }) => stated.total));
  const step = WIDTH / Math.max(12, points.length);
  const columns = points.map((point, at) => {
    let top = HEIGHT;
    const parts = layers.map(([, tone, member]) => {
      const height = (point.stated[member] / most) * HEIGHT;
      top -= height;
      return (
        height > 0 &&
        markup`<rect class="fill-${tone}" x="${(at * step).toFixed(1)}" y="${top.toFixed(1)}" width="${(step * 0.86).toFixed(1)}" height="${height.toFixed(1)}"/>`
      );
    });
    return markup`<g><title>${day(point)}: ${countsSentence(point.stated, 'stated')}</title>${parts}</g>`;
  });
  return markup`<svg class="trend" role="img" aria-label="Stated requirements in each run; the same numbers are in the table of runs" viewBox="0 0 ${WIDTH} ${HEIGHT + 20}">
      ${columns}
      <text x="0" y="${HEIGHT + 14}">${day(points[0])}</text>
      <text x="${((points.length - 1) * step).toFixed(1)}" y="${HEIGHT + 14}">${points.length > 3 && day(points.at(-1))}</text>
    </svg>
    <ul class="legend">
      ${layers.map(([name, tone]) => markup`<li><span class="dot back-${tone}"></span>${name}</li>`)}
    </ul>`;
}

function historyTable(rows: readonly TrendRow[], points: readonly TrendPoint[]): Markup {
  const head = heads(['Requirement', 'Now', 'Turned', 'History, the latest run on the right']);
  return scrolling(
    { kind: 'history', head },
    rows.map((row) => historyRow(row, points)),
  );
}

function historyRow(
  { id, statement, marks: all, brokenSince, turns }: TrendRow,
  points: readonly TrendPoint[],
): Markup {
  const shown = all.slice(-points.length);
  const broken = shown.filter((mark) => mark === 'broken').length;
  const now =
    brokenSince === undefined
      ? marks[all.at(-1) ?? 'absent'].word
      : `broken since ${dayOf(brokenSince)}`;
  return markup`<tr>
    <th scope="row"><code>${id}</code><br /><span class="faint">${statement}</span></th>
    <td>${now}</td>
    <td>${turns === 0 ? 'never' : plural(turns, 'time')}</td>
    <td><svg class="strip" role="img" aria-label="broken in ${broken} of ${plural(shown.length, 'run')}" width="${shown.length * CELL}" height="14">${shown.map((mark, at) => markup`<rect class="fill-${marks[mark].tone}" x="${at * CELL}" y="${mark === 'broken' ? 0 : 4}" width="${CELL - 2}" height="${mark === 'broken' ? 14 : 10}"><title>${day(points[at])}: ${marks[mark].word}</title></rect>`)}</svg></td>
  </tr>`;
}

const COLUMNS = [
  'Started',
  'Held',
  'Of',
  'Broken',
  'Warned',
  'Waived',
  'Not exercised',
  'Inconclusive',
  'Errors of Plumbline',
  'Notes',
];

function runTable(points: readonly TrendPoint[]): Markup {
  const rows = points.map((point, at) => {
    const { stated } = point;
    const numbers = [
      stated.passed,
      stated.total,
      stated.failed,
      point.warned,
      stated.waived,
      stated.notExercised,
      stated.inconclusive,
      stated.error,
    ];
    return markup`<tr>
      <th scope="row">${utc(point.startedAt)}</th>
      ${numbers.map((number) => markup`<td>${number}</td>`)}
      <td>${notes(point, points[at - 1])}</td>
    </tr>`;
  });
  return scrolling({ kind: 'runs', head: heads(COLUMNS) }, rows.toReversed());
}

/** How a run differs from the one before, since a step in the chart may have another cause than the server. */
function notes(point: TrendPoint, before: TrendPoint | undefined): string {
  const changed = (what: string, of: (each: TrendPoint) => string): readonly string[] =>
    before === undefined || of(before) === of(point) ? [] : [what];
  return [
    ...(point.scope === '' ? [] : [point.scope]),
    ...changed(`plumbline ${point.version}`, ({ version }) => version),
    ...changed('another catalogue', ({ catalogue }) => catalogue),
    ...changed(`now at ${point.baseUrl}`, ({ baseUrl }) => baseUrl),
  ].join('; ');
}

function day(point: TrendPoint | undefined): string {
  return dayOf(point?.startedAt ?? '');
}

function dayOf(startedAt: string): string {
  return startedAt.slice(0, 10);
}
