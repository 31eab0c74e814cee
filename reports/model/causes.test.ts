import { describe, expect, test } from 'vitest';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { causesOf, rootsOf, doubtsOf } from './causes.ts';

type Told = readonly [
  id: string,
  found: Parameters<typeof sampleFinding>[1],
  body?: object,
  url?: string,
];

/** Findings, each in its own case and exchange. */
function reportOf(rows: readonly Told[]) {
  const ids = [...new Set(rows.map(([id]) => id))];
  return sampleReport({
    catalogue: ids,
    outcomes: rows.map(([id, found, body = {}, url = 'https://a.example/v1'], index) => {
      const { request } = sampleExchange();
      const exchange: ReportedExchange = sampleExchange({
        id: `e${index}`,
        request: { ...request, url },
        response: { status: 404, headers: [], body: { text: JSON.stringify(body), bytes: 2 } },
      });
      return sampleOutcome({
        case: `case ${index}`,
        exchanges: [exchange],
        findings: [sampleFinding(id, { exchanges: [exchange.id], ...found })],
      });
    }),
  });
}

/** One exchange for each list of findings. */
function together(rows: readonly (readonly Told[])[]) {
  return sampleReport({
    catalogue: [...new Set(rows.flat().map(([id]) => id))],
    outcomes: rows.map((told, index) =>
      sampleOutcome({
        case: `case ${index}`,
        exchanges: [sampleExchange({ id: `e${index}` })],
        findings: told.map(([id, found]) =>
          sampleFinding(id, { exchanges: [`e${index}`], ...found }),
        ),
      }),
    ),
  });
}

const namesOf = (report: ReturnType<typeof reportOf>) =>
  causesOf(report, 'staging').map(({ root, others }) =>
    [root, ...others].map(({ id }) => id.replace('compute.', '')),
  );
const causes = (rows: readonly Told[]) => namesOf(reportOf(rows));

const gone = { error: { code: 'GONE', message: 'no', request_id: 'r' } };
const refused = { message: 'It was not refused.', expected: '404 NOT_FOUND', actual: '404 GONE' };
const slow = { message: 'It is slow.', expected: 'soon', actual: 'late' };
const code = { message: 'The code is none.', expected: 'NOT_FOUND', actual: 'GONE' };

describe('broken requirements have one cause', () => {
  test.for<[string, readonly Told[], readonly (readonly string[])[]]>([
    [
      'when they meet one wrong member; what is judged on every exchange is the root',
      [
        ['compute.get-instance.unknown-id', refused, gone],
        ['compute.stop-instance.unknown-id', { ...refused, message: 'Other words' }, gone],
        ['compute.errors.code-known', code, gone],
      ],
      [['errors.code-known', 'get-instance.unknown-id', 'stop-instance.unknown-id']],
    ],
    [
      'when the same words say what is wrong, but for the values in them',
      [
        ['compute.list.a', { message: 'A 400 has no id.', expected: 'an id', actual: 'none' }],
        ['compute.list.b', { message: 'A 404 has no id.', expected: 'an id', actual: '' }],
      ],
      [['list.a', 'list.b']],
    ],
    [
      'not for a member that they expect',
      [
        ['compute.list.a', { ...slow, expected: 'GONE', actual: 'GONE late' }, gone],
        ['compute.list.b', { message: 'Twice', expected: 'GONE', actual: 'GONE twice' }, gone],
      ],
      [['list.a'], ['list.b']],
    ],
    [
      'that comes first when most depends on it',
      [
        ['compute.errors.a', slow, gone],
        ['compute.errors.code-known', code, gone],
        ['compute.list.a', refused, gone],
      ],
      [['errors.code-known', 'list.a'], ['errors.a']],
    ],
  ])('%s', ([, rows, expected]) => {
    expect(causes(rows)).toEqual(expected);
  });

  test('when one shows nearly nowhere but where the other does; what shows more often is the root', () => {
    const gap = { message: 'A walk left out items.', expected: 'all', actual: 'some' };
    const order = { message: 'Another order.', expected: 'b', actual: 'c' };
    const report = together([
      [
        ['compute.walk.default', order],
        ['compute.walk.gaps', gap],
      ],
      [['compute.walk.gaps', { ...gap, actual: 'few' }]],
      [['compute.walk.gaps', { ...gap, actual: 'fewer' }]],
    ]);
    expect(namesOf(report)).toEqual([['walk.gaps', 'walk.default']]);
  });

  test('what an answer breaks that should have been a refusal follows from that', () => {
    const served = { message: 'Served.', expected: '400 VALIDATION_ERROR', actual: '200 {}' };
    const echo = { message: 'Another size.', expected: '201', actual: '50' };
    const report = together([
      [
        ['compute.list.size-above', served],
        ['compute.pagination.size-echo', echo],
      ],
    ]);
    expect(namesOf(report)).toEqual([['list.size-above', 'pagination.size-echo']]);
    const apart = together([
      [
        ['compute.list.a', slow],
        ['compute.pagination.size-echo', echo],
      ],
    ]);
    expect(namesOf(apart)).toEqual([['list.a'], ['pagination.size-echo']]);
  });

  test('the simplest request leads, and each other one is told with its root', () => {
    const report = reportOf([
      ['compute.list.large', {}, {}, 'https://a.example/v1?size=18446744073709551616'],
      ['compute.list.plain', {}, {}, 'https://a.example/v1?size=201'],
    ]);
    expect([...rootsOf(report)].map(([{ id }, root]) => [id, root])).toEqual([
      ['compute.list.large', 'compute.list.plain'],
    ]);
  });

  test('of one requirement the simplest violation is told first', () => {
    const [cause] = causesOf(
      reportOf([
        ['compute.list.a', { message: 'large' }, {}, 'https://a.example/v1?size=999999'],
        ['compute.list.a', { message: 'plain' }, {}, 'https://a.example/v1?size=201'],
      ]),
      'staging',
    );
    expect(cause?.root.findings.map(({ message }) => message)).toEqual(['plain', 'large']);
  });
});

const gap = (requirement: string, reason: string) =>
  sampleGap(requirement, { kind: 'inconclusive', reason });
const told = (report: ReturnType<typeof sampleReport>) =>
  doubtsOf(report, 'staging').map(({ results, after }) => [results.map(({ id }) => id), after]);

test('what is inconclusive is grouped by reason, with what its cases found broken', () => {
  const report = sampleReport({
    catalogue: ['a', 'b', 'c', 'd'].map((slug) => sampleRequirement(`compute.list.${slug}`)),
    outcomes: [
      {
        findings: [sampleFinding('compute.list.a')],
        gaps: [
          gap('compute.list.b', 'no evidence (54 of 54 requests were answered 200)'),
          gap('compute.list.c', 'no evidence (2 of 8 requests were answered 400)'),
        ],
      },
      { case: 'another', gaps: [gap('compute.list.d', 'the account was busy')] },
    ],
  });
  expect(told(report)).toEqual([
    [['compute.list.b', 'compute.list.c'], ['compute.list.a']],
    [['compute.list.d'], []],
  ]);
});

test('what every exchange shows broken is said beside what its section could not decide', () => {
  const report = sampleReport({
    catalogue: ['compute.errors.code-known', 'compute.errors.code-not-found'].map((id) =>
      sampleRequirement(id),
    ),
    outcomes: [
      { findings: [sampleFinding('compute.errors.code-known')] },
      { case: 'another', gaps: [gap('compute.errors.code-not-found', 'no evidence')] },
    ],
  });
  expect(told(report)).toEqual([
    [['compute.errors.code-not-found'], ['compute.errors.code-known']],
  ]);
});
