import { expect, test } from 'vitest';
import { bothDirections, movingOverPages } from './instance-sorts.ts';
import type { Part } from './selection.ts';

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
