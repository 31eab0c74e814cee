/** How much of the contract a budget of requests decides, by contract and depth, as a table and a picture. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { contractNames } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { programs, serveBy, serveReference, suiteRun, type SuiteRun } from './served.ts';
import { type Benchmark, seconds, whole } from './tables.ts';

const BUDGETS = [100, 200, 400, 800, 1_600, 3_200] as const;
const DEPTHS = ['quick', 'standard', 'thorough'] as const;

interface Point {
  readonly requests: number;
  /** Share (0 to 1) of the stated requirements that the target file lets a run exercise. */
  readonly decided: number;
}

interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

export const decidedByRequests: Benchmark = {
  name: 'decided-by-requests',
  measure: async ({ scratch, progress }) => {
    const curves: Curve[] = [];
    for (const contract of contractNames) {
      for (const depth of DEPTHS) {
        const points: Point[] = [];
        for (const requests of BUDGETS) {
          progress(`${contract}, ${depth}, ${whole(requests)} requests`);
          const run = await budgeted(scratch, contract, { requests }, ['--depth', depth]);
          points.push({ requests, decided: run.decided / run.within });
        }
        curves.push({ name: `${contract}, ${depth}`, points });
      }
    }
    const paced: string[][] = [];
    for (const contract of contractNames) {
      for (const requests of [400, 800]) {
        progress(`${contract}, ${whole(requests)} requests, paced`);
        const budget = { requests, requestsPerSecond: 50 };
        const run = await budgeted(scratch, contract, budget, ['--depth', 'quick'], LATE_MS);
        paced.push([
          contract,
          whole(requests),
          percent(run.decided / run.within),
          seconds(run.wallSeconds),
        ]);
      }
    }
    return [
      {
        title: 'What a budget of requests decides',
        columns: ['run', ...BUDGETS.map((budget) => whole(budget))],
        rows: curves.map(({ name, points }) => [
          name,
          ...points.map(({ decided }) => percent(decided)),
        ]),
        picture: { file: 'decided-by-requests.svg', svg: drawn(curves) },
        notes: [
          'Of the stated requirements that the target file lets a run exercise, those that were decided with so many requests at most (`budget.requests`).',
        ],
      },
      {
        title: 'The same at 50 requests a second',
        columns: ['quick run', 'requests', 'decided', 'wall'],
        rows: paced,
        notes: [`Answers are ${LATE_MS} ms late.`],
      },
    ];
  },
};

const LATE_MS = 100;

/** Runs the suite against a reference with this budget. The reference may be slowed down by `lateMs` milliseconds. */
async function budgeted(
  scratch: string,
  contract: Contract,
  budget: Readonly<Record<string, number>>,
  args: readonly string[],
  lateMs = 0,
): Promise<SuiteRun> {
  const file = path.join(scratch, `${contract}.yaml`);
  await using _served = await serveReference(contract, file);
  const yaml = await readFile(file, 'utf8');
  const port = Number(/^baseUrl: http:\/\/[\d.]+:(\d+)/mu.exec(yaml)?.[1]);
  await using front = await serveBy(programs, ['plain-proxy', String(port), String(lateMs)]);
  const document = parseDocument(yaml.replace(`http://127.0.0.1:${port}`, front.said.trim()));
  for (const [name, value] of Object.entries(budget)) document.setIn(['budget', name], value);
  await writeFile(file, String(document));
  return await suiteRun(scratch, [file, ...args]);
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = { left: 56, right: 150, top: 16, bottom: 44 };
const COLOURS = ['#1f6feb', '#0b3d91', '#8fb8f6', '#c2571a', '#7a2e00', '#e8a87c'];

/** The curves as SVG: the decided share over the number of requests, on a logarithmic scale. */
function drawn(curves: readonly Curve[]): string {
  const [least, most] = [Math.log(BUDGETS[0]), Math.log(BUDGETS.at(-1) ?? BUDGETS[0])];
  const x = (requests: number): number =>
    MARGIN.left +
    ((Math.log(requests) - least) / (most - least)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (share: number): number =>
    HEIGHT - MARGIN.bottom - share * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const text = (at: readonly [number, number], words: string, more = ''): string =>
    `<text x="${at[0].toFixed(0)}" y="${at[1].toFixed(0)}" ${more}>${words}</text>`;
  const line = (points: readonly Point[]): string =>
    points.map((one) => `${x(one.requests).toFixed(1)},${y(one.decided).toFixed(1)}`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    '<title>Share of the stated requirements that a budget of requests decides</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...[0, 0.25, 0.5, 0.75, 0.9, 1].flatMap((share) => [
      `<path d="M${MARGIN.left} ${y(share).toFixed(1)}H${WIDTH - MARGIN.right}" stroke="#ddd"/>`,
      text([MARGIN.left - 6, y(share) + 4], percent(share), 'text-anchor="end"'),
    ]),
    ...BUDGETS.map((budget) =>
      text([x(budget), HEIGHT - MARGIN.bottom + 18], whole(budget), 'text-anchor="middle"'),
    ),
    text([MARGIN.left, HEIGHT - 8], 'requests that a run may send'),
    ...curves.flatMap(({ name, points }, at) => {
      const colour = COLOURS[at % COLOURS.length] ?? '#000';
      const legend = MARGIN.top + 14 + at * 18;
      return [
        `<polyline points="${line(points)}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        `<path d="M${WIDTH - MARGIN.right + 10} ${legend - 4}h16" stroke="${colour}" stroke-width="2"/>`,
        text([WIDTH - MARGIN.right + 32, legend], name),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}
