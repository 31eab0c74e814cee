import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../compute/records.ts';
import { outcomeOf, testCheck, testVerdicts } from '../verdict.test.support.ts';
import type { Part } from './bracket.ts';
import { bothDirections, type InstanceSort, presetsInOrder } from './sorts.ts';
import { keepsOverPages, movingOverPages } from './sorts-over-pages.ts';

const part = (records: readonly WireRecord[], end: Part['end'] = 'last-page'): Part => ({
  ids: records.map(({ id }) => String(id)),
  records,
  exchanges: [],
  end,
});

const states = {
  a: 'RUNNING',
  b: 'STOPPED',
  c: 'TERMINATED',
  d: 'RUNNING',
  e: 'STOPPED',
  f: 'TERMINATED',
};
const values = {
  NAME: ['name', { a: 'ant', b: 'bee', c: 'cat' }],
  HOURLY_RATE: ['hourly_rate', { a: 2, b: 9, c: 10 }],
  STATUS: ['status', states],
  SIZE: ['size', { a: 'x1', b: 'x2', c: 'x4' }],
  GPU_TYPE: ['gpu_type', { a: 'RTX 4090', b: 'A100', c: 'A100', d: 'H100' }],
  CURRENT_COST: ['current_cost', { a: 1, b: 7 }],
} as const;

/** Instances by their letters, with their sort values. */
function of(sort: keyof typeof values, letters: string, other?: WireRecord): Part {
  const [member, own] = values[sort];
  const all: WireRecord = other ?? own;
  return part(Array.from(letters, (id) => ({ id, [member]: all[id] })));
}

const sorted = (sort: InstanceSort & keyof typeof values, up: string, down: string) =>
  bothDirections(sort, { up: of(sort, up), down: of(sort, down) });
const reversed = (letters: string) => Array.from(letters).toReversed().join('');
const byState = (up: string) => sorted('STATUS', up, reversed(up));

testVerdicts([
  ...(['NAME', 'HOURLY_RATE', 'STATUS', 'SIZE'] as const).flatMap((sort) => [
    [sort, 'held', sorted(sort, 'abc', 'cba')] as const,
    [sort, 'broken', sorted(sort, 'abc', 'acb')] as const,
    [sort, 'unseen', sorted(sort, 'a', 'a')] as const,
  ]),
  ['what runs among what is terminated', 'broken', byState('abcdef')],
  // Two of the states have the same weight.
  ['what runs before what is terminated', 'held', byState('abdecf'), byState('adbecf')],
  // Only STOPPED may be apart: on a later page, the others were not sorted.
  ['what is stopped apart, and not the others', 'broken', byState('beacdf')],
  ['nothing terminated', 'unseen', byState('abde')],
  ['models together, in an order of their own', 'held', sorted('GPU_TYPE', 'abcd', 'dbca')],
  ['models apart', 'broken', sorted('GPU_TYPE', 'bacd', 'dcab')],
  ['models apart', 'broken', sorted('GPU_TYPE', 'abcd', 'adbc')],
  ['one model', 'unseen', sorted('GPU_TYPE', 'bc', 'cb')],
]);

test('what has ended behind what has not, each newest first, is a sort by state', () => {
  const own = { a: 'RUNNING', b: 'STOPPED', c: 'RUNNING', d: 'ERRORED', e: 'TERMINATED' };
  const both = { up: of('STATUS', 'abcde', own), down: of('STATUS', 'deabc', own) };
  expect(bothDirections('STATUS', both)).toMatchObject({ seen: 1, violations: [] });
});

const moving = (up: Part, down: Part, ...before: readonly Part[]) =>
  movingOverPages('CURRENT_COST', { up, down }, before);
const cost = (letters: string, other?: WireRecord) => of('CURRENT_COST', letters, other);

testVerdicts([
  ['costs in order', 'held', moving(cost('ab'), cost('ba'), cost('ab'))],
  ['costs in none', 'broken', moving(cost('ab'), cost('ab'), cost('ab'))],
  [
    'costs that rose from page to page',
    'unseen',
    moving(cost('ab', { a: 4, b: 4.9 }), cost('ba', { a: 5.5, b: 5 })),
  ],
]);

describe('over pages', () => {
  /** Instances as `a1`, each a letter with its rate. */
  const rates = (text: string, end?: Part['end']) =>
    part(
      text.split(' ').map(([id, rate]) => ({ id, hourly_rate: Number(rate) })),
      end,
    );
  const kept = (walked: Part, after = rates('a1 b3 c2')) =>
    keepsOverPages('HOURLY_RATE', { before: rates('a1 b3 c2'), after }, walked);
  testVerdicts([
    ['each once', 'held', kept(rates('b3 c2 a1'))],
    ['one twice', 'broken', kept(rates('b3 b3 c2 a1'))],
    ['one lost', 'broken', kept(rates('b3 a1'))],
    ['one twice that moved meanwhile', 'unseen', kept(rates('b4 b3 c2 a1'))],
    ['one that came and went', 'unseen', kept(rates('b3 d2.5 c2 a1'))],
    ['of a list that grew', 'unseen', kept(rates('b3 c2'), rates('a1 b3 c2 d9'))],
    ['cut', 'unseen', kept(rates('b3 c2', 'limit'))],
  ]);

  /** Instances as `a1`, each a letter with its cost; a capital letter is a running one. */
  const costs = (text: string) =>
    part(
      text.split(' ').map(([id = '', figure]) => ({
        id: id.toLowerCase(),
        current_cost: Number(figure),
        status: id === id.toLowerCase() ? 'STOPPED' : 'RUNNING',
      })),
    );
  const before = costs('a1 B2 c3');
  const keptByCost = (walked: string) =>
    keepsOverPages('CURRENT_COST', { before, after: before }, costs(walked));
  testVerdicts([
    ['one twice that runs', 'held', keptByCost('a1 B2 B2 c3')],
    ['one twice that is stopped', 'broken', keptByCost('a1 B2 c3 c3')],
  ]);
});

describe('presets', () => {
  const bindings = {
    presets: { items: 'data', fields: { gpu: 'gpu', cpu: 'cpu', region: 'region' } },
  };
  const one = { id: 'a', gpu: 'H100', cpu: 24, hardware: { gpus: 1 }, region: 'US' };
  const two = { id: 'b', gpu: 'L40S', cpu: 16, hardware: { gpus: 8 }, region: 'FR' };
  const three = { id: 'c', gpu: 'A100', cpu: 96, hardware: { gpus: 4 }, region: 'UAE' };
  const four = { id: 'd', gpu: 'H100', cpu: 48, hardware: { gpus: 2 }, region: 'US' };
  type Presets = readonly WireRecord[];

  /** A sort by GPU: the ascending list, and the descending one or its reverse. */
  const byGpu = (up: Presets, down = up.toReversed()) =>
    presetsInOrder(
      'GPU',
      [
        ['ASC', part(up)],
        ['DESC', part(down)],
      ],
      bindings,
    );
  const same = [one, three, two].map((preset) => ({ ...preset, gpu: 'H100' }));
  const inText = ['A100', 'A100', 'H100', 'H100'].map((gpu_model, place) => ({
    id: String(place),
    gpu: ['big', 'small'][place % 2],
    gpu_model,
  }));
  testVerdicts([
    ['by model', 'held', byGpu([three, one, four, two])],
    ['by model in an order of its own', 'held', byGpu([one, four, two, three])],
    ['by count', 'held', byGpu([one, four, three, two])],
    ['by cores, which have a sort of their own', 'held', byGpu([two, one, four, three])],
    ['by a model in another text', 'held', byGpu(inText)],
    ['by nothing', 'broken', byGpu([four, two, one, three])],
    ['by another key each', 'broken', byGpu([one, four, three, two], [two, one, four, three])],
    ['of one model, whatever their counts are', 'unseen', byGpu(same, same)],
  ]);

  test.for([
    '1x A100,8x A100,1x H100,8x H100',
    '1 × A100,8 × A100,1 × H100,8 × H100',
    'A100 x1,A100 x8,H100 x1,H100 x8',
  ])('a model that is shown beside its count sorts as the model does: %s', (gpus) => {
    const shown = gpus.split(',').map((gpu, place) => ({ id: String(place), gpu }));
    const [first, second, third, fourth] = shown;
    if (!first || !second || !third || !fourth) throw new Error('four presets');
    expect(outcomeOf(byGpu(shown))).toBe('held');
    expect(outcomeOf(byGpu(shown, [third, fourth, first, second]))).toBe('held');
    // No preset need show the model that the server sorts by.
    expect(outcomeOf(byGpu([first, third, second, fourth], shown))).toBe('unseen');
  });

  testCheck('by region', (up: Presets) => presetsInOrder('REGION', [['ASC', part(up)]], bindings), {
    // As text, or as listed; a preset without a region at any place.
    held: [
      [two, three, one],
      [three, two, one],
      [three, two, one, { ...one, region: '' }],
    ],
    broken: [
      [three, two, three],
      [one, two],
    ],
  });
});
