import { describe, expect, test } from 'vitest';
import {
  bothDirections,
  keepsOverPages,
  movingOverPages,
  sortedBy,
  presetsInOrder,
} from './sorts.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import type { Part } from './bracket.ts';

describe('instance sorts', () => {
  function part(...records: readonly Readonly<Record<string, unknown>>[]): Part {
    return {
      ids: records.map(({ id }) => String(id)),
      records,
      exchanges: [],
      end: 'last-page',
    };
  }

  const of = (member: string, values: Readonly<Record<string, unknown>>, order: string): Part =>
    part(...Array.from(order, (id) => ({ id, [member]: values[id] })));

  function outcome({ seen, violations }: ReturnType<typeof bothDirections>): string {
    if (violations.length > 0) return 'violated';
    return seen === 0 ? 'vacuous' : 'held';
  }

  test.each([
    ['NAME', 'name', { a: 'ant', b: 'bee', c: 'cat' }],
    ['HOURLY_RATE', 'hourly_rate', { a: 2, b: 9, c: 10 }],
    ['STATUS', 'status', { a: 'RUNNING', b: 'STOPPED', c: 'TERMINATED' }],
    ['SIZE', 'size', { a: 'x1', b: 'x2', c: 'x4' }],
  ] as const)('%s is judged in both directions', (sort, member, values) => {
    const list = (order: string) => of(member, values, order);
    expect(outcome(bothDirections(sort, { up: list('abc'), down: list('cba') }))).toBe('held');
    expect(outcome(bothDirections(sort, { up: list('abc'), down: list('acb') }))).toBe('violated');
    expect(outcome(bothDirections(sort, { up: list('a'), down: list('a') }))).toBe('vacuous');
  });

  test('a sort by state that mixes what runs with what is terminated is none', () => {
    const values = {
      a: 'RUNNING',
      b: 'STOPPED',
      c: 'TERMINATED',
      d: 'RUNNING',
      e: 'STOPPED',
      f: 'TERMINATED',
    };
    const both = (order: string) => ({
      up: of('status', values, order),
      down: of('status', values, Array.from(order).toReversed().join('')),
    });
    expect(outcome(bothDirections('STATUS', both('abcdef')))).toBe('violated');
    // Two of the states weigh the same.
    expect(outcome(bothDirections('STATUS', both('abdecf')))).toBe('held');
    expect(outcome(bothDirections('STATUS', both('adbecf')))).toBe('held');
    // What is stopped may stand apart, and the others not: on a later page they were not sorted.
    expect(outcome(bothDirections('STATUS', both('beacdf')))).toBe('violated');
    expect(outcome(bothDirections('STATUS', both('abde')))).toBe('vacuous');
  });

  test('what has ended behind what has not, each newest first, is a sort by state', () => {
    const values = { a: 'RUNNING', b: 'STOPPED', c: 'RUNNING', d: 'ERRORED', e: 'TERMINATED' };
    const list = (order: string) => of('status', values, order);
    expect(outcome(bothDirections('STATUS', { up: list('abcde'), down: list('deabc') }))).toBe(
      'held',
    );
  });

  test('GPU models stand together, in an order that both directions agree on', () => {
    const values = { a: 'RTX 4090', b: 'A100', c: 'A100', d: 'H100' };
    const judged = (up: string, down: string) =>
      outcome(
        bothDirections('GPU_TYPE', {
          up: of('gpu_type', values, up),
          down: of('gpu_type', values, down),
        }),
      );
    expect(judged('abcd', 'dbca')).toBe('held');
    expect(judged('bacd', 'dcab')).toBe('violated');
    expect(judged('abcd', 'adbc')).toBe('violated');
    expect(judged('bc', 'cb')).toBe('vacuous');
  });

  test('costs that rose from page to page are no disorder', () => {
    const down = part({ id: 'b', current_cost: 5 }, { id: 'a', current_cost: 5.5 });
    const up = part({ id: 'a', current_cost: 4 }, { id: 'b', current_cost: 4.9 });
    expect(outcome(movingOverPages('CURRENT_COST', { up, down }, []))).toBe('vacuous');
  });

  test('costs that never came near each other are in order or not', () => {
    const list = (order: string) => of('current_cost', { a: 1, b: 7 }, order);
    const before = list('ab');
    expect(
      outcome(movingOverPages('CURRENT_COST', { up: list('ab'), down: list('ba') }, [before])),
    ).toBe('held');
    expect(
      outcome(movingOverPages('CURRENT_COST', { up: list('ab'), down: list('ab') }, [before])),
    ).toBe('violated');
  });
});

describe('kept over pages', () => {
  type Item = readonly [id: string, rate: number];

  const list = (items: readonly Item[], end: Part['end'] = 'last-page'): Part => ({
    ids: items.map(([id]) => id),
    records: items.map(([, hourly_rate]) => ({ hourly_rate })),
    exchanges: [],
    end,
  });

  const a: Item = ['a', 1];
  const b: Item = ['b', 3];
  const c: Item = ['c', 2];
  const whole = [a, b, c];

  test.each([
    ['in another order', [b, c, a], 'held'],
    ['with one twice', [b, b, c, a], 'violated'],
    ['without one', [b, a], 'violated'],
    ['with one twice that moved meanwhile', [['b', 4], b, c, a], 'vacuous'],
  ] as const)('a walk %s', (_, items, expected) => {
    const walked = list(items);
    const around = { before: list(whole), after: list(whole) };
    expect(outcomeOf(keepsOverPages('HOURLY_RATE', around, walked))).toBe(expected);
  });

  test('a list that changed, or was not read to its end, says nothing', () => {
    const notExercised = list(whole.slice(1));
    const grown = { before: list(whole), after: list([...whole, ['d', 9]]) };
    expect(outcomeOf(keepsOverPages('HOURLY_RATE', grown, notExercised))).toBe('vacuous');
    const around = { before: list(whole), after: list(whole) };
    const cut = list(whole.slice(1), 'limit');
    expect(outcomeOf(keepsOverPages('HOURLY_RATE', around, cut))).toBe('vacuous');
  });
});

describe('preset sorts', () => {
  const bindings = {
    presets: { items: 'data', fields: { gpu: 'gpu', cpu: 'cpu', region: 'region' } },
  };

  interface Preset {
    readonly id: string;
    readonly gpu: unknown;
    readonly [member: string]: unknown;
  }

  function part(...records: readonly Preset[]): Part {
    return { ids: records.map(({ id }) => id), records, exchanges: [], end: 'last-page' };
  }

  /** A sort by GPU with the ascending list, and the descending one or its reverse. */
  function byGpu(up: readonly Preset[], down: readonly Preset[] = up.toReversed()): string {
    const lists = [
      ['ASC', part(...up)],
      ['DESC', part(...down)],
    ] as const;
    return outcomeOf(presetsInOrder('GPU', lists, bindings));
  }

  const one = { id: 'a', gpu: 'H100', cpu: 24, hardware: { gpus: 1 }, region: 'US' };
  const two = { id: 'b', gpu: 'L40S', cpu: 16, hardware: { gpus: 8 }, region: 'FR' };
  const three = { id: 'c', gpu: 'A100', cpu: 96, hardware: { gpus: 4 }, region: 'UAE' };
  const four = { id: 'd', gpu: 'H100', cpu: 48, hardware: { gpus: 2 }, region: 'US' };

  test.each([
    ['by model', [three, one, four, two], 'held'],
    ['by model in an order of its own', [one, four, two, three], 'held'],
    ['by count', [one, four, three, two], 'held'],
    ['by cores, which have a sort of their own', [two, one, four, three], 'held'],
    ['by nothing', [four, two, one, three], 'violated'],
  ])('a sort by GPU, %s', (_, presets, expected) => {
    expect(byGpu(presets)).toBe(expected);
  });

  test('presets of one model are in order by it whatever their counts are', () => {
    const same = [one, three, two].map((preset) => ({ ...preset, gpu: 'H100' }));
    expect(byGpu(same, same)).toBe('vacuous');
  });

  test('both directions go by the same key', () => {
    expect(byGpu([one, four, three, two])).toBe('held');
    expect(byGpu([one, four, three, two], [two, one, four, three])).toBe('violated');
  });

  test.each([
    ['1x A100', '8x A100', '1x H100', '8x H100'],
    ['1 × A100', '8 × A100', '1 × H100', '8 × H100'],
    ['A100 x1', 'A100 x8', 'H100 x1', 'H100 x8'],
  ])('a model that is shown beside its count sorts as the model does: %s', (...gpus) => {
    const presets = gpus.map((gpu, place) => ({ id: String(place), gpu }));
    expect(byGpu(presets)).toBe('held');
    const [first, second, third, fourth] = presets;
    if (!first || !second || !third || !fourth) throw new Error('four presets');
    expect(byGpu([first, second, third, fourth], [third, fourth, first, second])).toBe('held');
    // No preset need show the model that it goes by.
    expect(byGpu([first, third, second, fourth], presets)).toBe('vacuous');
  });

  test('a model may stand in another text', () => {
    const presets = ['A100', 'A100', 'H100', 'H100'].map((gpu_model, place) => ({
      id: String(place),
      gpu: ['big', 'small'][place % 2],
      gpu_model,
    }));
    expect(byGpu(presets)).toBe('held');
  });

  test.each([
    [[two, three, one], 'held'],
    [[three, two, one], 'held'],
    [[three, two, one, { ...one, region: '' }], 'held'],
    [[three, two, three], 'violated'],
    [[one, two], 'violated'],
  ])('regions as text or as listed: %#', (presets, expected) => {
    const up = presetsInOrder('REGION', [['ASC', part(...presets)]], bindings);
    expect(outcomeOf(up)).toBe(expected);
  });

  test('presets carry what they are sorted by', () => {
    expect(sortedBy(part(one), ({ cpu }) => cpu).items).toEqual([{ id: 'a', key: 24 }]);
  });
});
