import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConformanceReport } from '../../schemas/report.ts';
import { type Change, compareReports, comparisonExitCode } from './compare.ts';
import {
  type SampleInput,
  sampleBug,
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from '../sample.test.support.ts';
import { differenceOf, type TextPart } from './difference.ts';

const id = 'compute.list.size';
const other = 'compute.list.other';
const line = 'keys: { second: ${K} }';

type Said =
  | 'held'
  | 'broken'
  | 'missing'
  | 'missing key'
  | 'inconclusive'
  | 'error'
  | 'waived'
  | 'expired';

interface Made extends Pick<SampleInput, 'catalogue' | 'run' | 'selects'> {
  readonly said?: Said;
  readonly target?: ReturnType<typeof sampleTarget>;
}

function result({
  said = 'held',
  catalogue = [id, other],
  target = sampleTarget(),
  run = {},
  selects = () => true,
}: Made = {}): ConformanceReport {
  const broken = said === 'broken' || said === 'waived' || said === 'expired';
  const gap = { requirement: id, reason: 'needs a second key', line } as const;
  const outcome = {
    target: target.name,
    judges: said === 'missing' ? [] : [id],
    seen: { [other]: 1, ...(said === 'held' ? { [id]: 1 } : {}) },
    findings: broken ? [sampleFinding(id)] : [],
    gaps: [
      ...(said === 'missing key' ? [{ ...gap, kind: 'not-exercised' as const }] : []),
      ...(said === 'inconclusive' ? [sampleGap(id, { kind: 'inconclusive', reason: 'busy' })] : []),
    ],
    errors: said === 'error' ? [sampleBug] : [],
  };
  const expires = said === 'expired' ? '2026-11-01' : '2026-12-01';
  return sampleReport({
    catalogue,
    targets: [target],
    outcomes: [outcome],
    selects,
    run,
    deviations:
      said === 'waived' || said === 'expired'
        ? [{ requirement: id, reason: 'known', expires }]
        : [],
  });
}

/** The only change of the requirement, and the exit codes without and with `strict`. */
function change(
  before: Made,
  ...after: readonly Made[]
): [Change['kind'] | undefined, Change['cause'] | undefined, number] {
  const comparison = compareReports(result(before), after.map(result));
  const found = comparison.changes.find((each) => each.id === id);
  return [found?.kind, found?.cause, comparisonExitCode(comparison, { strict: false })];
}

const because = (before: Made, after: Made): string =>
  compareReports(result(before), [result(after)]).changes[0]?.because ?? '';

describe('a requirement', () => {
  test.for<[string, Said, Said, ...ReturnType<typeof change>]>([
    ['held both times', 'held', 'held', undefined, undefined, 0],
    ['broken both times', 'broken', 'broken', undefined, undefined, 0],
    ['not judged either time', 'missing', 'inconclusive', undefined, undefined, 0],
    ['held, then broken', 'held', 'broken', 'broke', 'target', 1],
    ['not judged, then broken', 'missing key', 'broken', 'broke', 'fixtures', 1],
    ['broken, then held', 'broken', 'held', 'healed', 'target', 0],
    ['waived, then held', 'waived', 'held', 'healed', 'target', 0],
    ['not exercised, then held', 'missing key', 'held', 'appeared', 'fixtures', 0],
    ['held, then not exercised', 'held', 'missing key', 'went', 'fixtures', 0],
    ['held, then inconclusive', 'held', 'inconclusive', 'went', 'suite', 0],
    ['an error of ours, then held', 'error', 'held', 'appeared', 'suite', 0],
    ['broken, then waived', 'broken', 'waived', 'waived', 'deviation', 0],
    ['waived, then expired', 'waived', 'expired', 'broke', 'deviation', 1],
    ['waived, then declared no longer', 'waived', 'broken', 'broke', 'deviation', 1],
  ])('%s', ([, before, after, ...expected]) => {
    expect(change({ said: before }, { said: after })).toEqual(expected);
  });

  test.for<[Said, Said, number]>([
    ['held', 'missing key', 5],
    ['held', 'inconclusive', 5],
    ['held', 'held', 0],
    ['missing key', 'held', 0],
    ['held', 'broken', 1],
  ])('that is lost gates where that is asked for: %s, then %s', ([before, after, code]) => {
    const comparison = compareReports(result({ said: before }), [result({ said: after })]);
    expect(comparisonExitCode(comparison, { strict: false, failOnLost: true })).toBe(code);
  });

  test('implied and broken gates only a strict comparison', () => {
    const catalogue = [sampleRequirement(id, { strength: 'implied' })];
    const comparison = compareReports(result({ catalogue }), [
      result({ catalogue, said: 'broken' }),
    ]);
    expect(comparison.changes[0]?.kind).toBe('broke');
    expect([false, true].map((strict) => comparisonExitCode(comparison, { strict }))).toEqual([
      0, 1,
    ]);
  });

  test('that was implied and broken, and is stated now, broke by the catalogue', () => {
    const implied = [sampleRequirement(id, { strength: 'implied' })];
    const stated = [sampleRequirement(id)];
    expect(
      change({ said: 'broken', catalogue: implied }, { said: 'broken', catalogue: stated }),
    ).toEqual(['broke', 'catalogue', 1]);
    expect(
      change({ said: 'broken', catalogue: stated }, { said: 'broken', catalogue: implied })[0],
    ).toBeUndefined();
  });

  test('that only one catalogue has appears or goes by the catalogue', () => {
    const less = { catalogue: [other] };
    expect(change(less, {})).toEqual(['appeared', 'catalogue', 0]);
    expect(change({}, less)).toEqual(['went', 'catalogue', 0]);
    expect(change(less, { said: 'broken' })).toEqual(['broke', 'catalogue', 1]);
  });

  test('that one run left out appears or goes by the selection', () => {
    const less: Made = {
      selects: ({ id: each }) => each === other,
      run: { selection: [`--only ${other}`] },
    };
    expect(change({}, less)).toEqual(['went', 'selection', 0]);
    expect(change(less, {})).toEqual(['appeared', 'selection', 0]);
  });

  test('that an unfinished run did not come to goes by the selection', () => {
    expect(change({}, { said: 'missing', run: { partial: true } })).toEqual([
      'went',
      'selection',
      0,
    ]);
  });

  test('says which line of the target file made the difference', () => {
    expect(because({ said: 'missing key' }, {})).toBe(`offered now: ${line}`);
    expect(because({}, { said: 'missing key' })).toBe(`missing now: ${line}`);
  });

  test('says when address or seed differ too', () => {
    const elsewhere = { ...sampleTarget(), baseUrl: 'https://other.example' };
    expect(because({}, { said: 'broken', target: elsewhere })).toMatch(
      /^https:\/\/other\.example answers unlike/u,
    );
    expect(because({}, { said: 'broken', run: { seed: 7 } })).toMatch(
      /same address.*seeds differ \(42 and 7\)/u,
    );
  });
});

describe('several later results', () => {
  test('that disagree make a change unstable, and the worst counts', () => {
    expect(change({}, {}, { said: 'broken' })).toEqual(['broke', 'unstable', 1]);
    expect(change({ said: 'broken' }, {}, { said: 'broken' })).toEqual([undefined, undefined, 0]);
    const comparison = compareReports(result({ said: 'broken' }), [
      result(),
      result({ said: 'broken' }),
    ]);
    expect(comparison.unstable).toEqual([{ target: 'staging', id }]);
  });

  test('that agree are a change of the target', () => {
    expect(change({}, { said: 'broken' }, { said: 'broken' })).toEqual(['broke', 'target', 1]);
  });

  test('have no vote on what they left out', () => {
    const again: Made = {
      said: 'broken',
      selects: (each) => each.id === id,
      run: { selection: [`--only ${id}`] },
    };
    const comparison = compareReports(result(), [result({ said: 'broken' }), result(again)]);
    expect(comparison.unstable).toEqual([]);
    expect(comparison.changes).toHaveLength(1);
  });
});

describe('targets', () => {
  test('under another name are paired when they are the only ones of their contract', () => {
    const comparison = compareReports(result(), [
      result({ said: 'broken', target: sampleTarget('production') }),
    ]);
    expect(comparison.changes).toMatchObject([{ kind: 'broke', target: 'production' }]);
    expect(comparison.differences).toContain(
      'name of the target: staging before, production after',
    );
  });

  test('of another contract are not compared, and told', () => {
    const comparison = compareReports(result(), [
      result({ target: sampleTarget('edge', 'router') }),
    ]);
    expect(comparison).toMatchObject({
      changes: [],
      unmatched: ['staging is only before', 'edge is only after'],
    });
  });
});

test('a result never differs from itself', () => {
  const said = fc.constantFrom<Said>(
    'held',
    'broken',
    'missing',
    'missing key',
    'inconclusive',
    'error',
    'waived',
    'expired',
  );
  fc.assert(
    fc.property(said, (each) => {
      const same = result({ said: each });
      expect(compareReports(same, [same, same])).toMatchObject({
        changes: [],
        unstable: [],
        differences: [],
      });
    }),
  );
});

test('what broke one way healed the other way', () => {
  const said = fc.constantFrom<Said>('held', 'broken', 'missing key', 'inconclusive');
  const mirror = {
    broke: ['healed', 'went'],
    healed: ['broke'],
    appeared: ['went'],
    went: ['appeared', 'broke'],
    waived: [],
  };
  fc.assert(
    fc.property(said, said, (one, two) => {
      const [there, back] = [
        change({ said: one }, { said: two })[0],
        change({ said: two }, { said: one })[0],
      ];
      expect(there === undefined ? [undefined] : mirror[there]).toContain(back);
    }),
  );
});

function marked(parts: readonly TextPart[]): string {
  return parts.map(({ text, same }) => (same ? text : `[${text}]`)).join('');
}

test.for<[string, string, string, string]>([
  ['status 400', 'status 200', 'status [400]', 'status [200]'],
  ['a b c', 'a c', 'a [b ]c', 'a c'],
  ['same', 'same', 'same', 'same'],
  ['', 'all new', '', '[all new]'],
  ['{"a":1,"b":2}', '{"a":3,"b":4}', '{"a":[1],"b":[2]}', '{"a":[3],"b":[4]}'],
])('marks what differs between %j and %j', ([expected, actual, left, right]) => {
  const difference = differenceOf(expected, actual);
  expect([marked(difference.expected), marked(difference.actual)]).toEqual([left, right]);
});

test('the parts put together are the texts, also where they are too long to compare word by word', () => {
  const expected = `start ${'a '.repeat(2_000)}end`;
  const actual = `start ${'b '.repeat(2_000)}end`;
  const difference = differenceOf(expected, actual);
  expect(difference.expected.map(({ text }) => text).join('')).toBe(expected);
  expect(difference.actual.map(({ text }) => text).join('')).toBe(actual);
  expect(difference.actual[0]).toEqual({ text: 'start ', same: true });
});
