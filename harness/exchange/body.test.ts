import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assert, json, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleExchange } from '../checks/router/sample.test.support.ts';
import { canonicalJson, canonicalSets, jsonBody, parseExactly, RepeatedMember } from './body.ts';

describe('a text of JSON', () => {
  test('without repeated members is what JSON.parse makes of it, however it is written', () => {
    assert(
      property(json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(parseExactly(text)).toEqual(value);
        expect(parseExactly(JSON.stringify(value, null, 2))).toEqual(value);
      }),
    );
  });

  test('with a member twice tells both values', () => {
    expect(parseExactly('{"a":{"code":"A", "b":[1], "code":"B"}}')).toEqual({
      a: { code: new RepeatedMember(['A', 'B']), b: [1] },
    });
    expect(parseExactly('{"a":1,"\\u0061":1}')).toEqual({ a: new RepeatedMember([1, 1]) });
  });

  test('with integers that no double holds keeps them apart', () => {
    expect(parseExactly('[9007199254740993, -9007199254740993, 9007199254740994, 1e30]')).toEqual([
      9007199254740993n,
      -9007199254740993n,
      9007199254740994,
      1e30,
    ]);
    expect(parseExactly(`[${'9'.repeat(400)}]`)).toEqual([Infinity]);
  });

  test('that is none is refused', () => {
    expect(() => parseExactly('{"a":1}}')).toThrow(SyntaxError);
  });
});

test('members have no order, items have', () => {
  expect(canonicalJson({ a: 1, b: { c: [1, 2], 10: null } })).toBe(
    canonicalJson({ b: { 10: null, c: [1, 2] }, a: 1 }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson([['a', 1]]));
  expect(canonicalJson(undefined)).toBe('undefined');
});

test('sets have no order, and count their items', () => {
  expect(canonicalSets({ codes: [{ a: 1, b: 2 }, 'FR'] })).toBe(
    canonicalSets({ codes: ['FR', { b: 2, a: 1 }] }),
  );
  expect(canonicalSets(['FR', 'FR'])).not.toBe(canonicalSets(['FR']));
  expect(canonicalSets([[2, 1], null])).toBe(canonicalSets([null, [1, 2]]));
  expect(canonicalSets(['1'])).not.toBe(canonicalSets([1]));
});

test('a value without end of nesting is read all the same', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
  expect(canonicalJson(deep)).toContain('deep');
  expect(canonicalSets(deep).length).toBeLessThan(200);
});

describe('a body that is made to cost much', () => {
  const repeated = (count: number, piece: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => piece(at)).join(',');

  test.for([
    ['a member again and again', `{${repeated(50_000, () => '"a":1')}}`],
    ['many members', `{ ${repeated(50_000, (at) => `"a${at}":1`)}}`],
    ['many long numbers', `[ ${repeated(20_000, () => '9'.repeat(99))}]`],
    ['many deep lists', `[ ${repeated(400, () => '['.repeat(400) + ']'.repeat(400))}]`],
  ] as const)('%s is read within a second', ([, text]) => {
    const before = process.cpuUsage();
    parseExactly(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000_000).toBeLessThan(1);
  });
});

describe('what was read of a body', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');

  /** True if a body is still in memory after a garbage collection. */
  async function isKept(length: number): Promise<boolean> {
    const exchange = sampleExchange({ body: Array.from({ length }, () => ({})) });
    const read = new WeakRef(Object(jsonBody(exchange)));
    await setImmediate();
    collect();
    const kept = read.deref() !== undefined;
    expect(jsonBody(exchange)).toMatchObject({ ok: true, value: { length } });
    return kept;
  }

  test.for([
    ['small', 100, true],
    ['large', 100_000, false],
  ] as const)('is kept where it is %s: %i items, %s', async ([, length, kept]) => {
    expect(await isKept(length)).toBe(kept);
  });
});
