import { assert, json, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RepeatedMember, parseExactly } from './exact-json.ts';

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
