import { describe, expect, test } from 'vitest';
import { altered, tellingAlterations } from './altered-key.ts';

const key = 'plk_primary_0123456789abcxyz';

describe('a key that is altered', () => {
  test.for([
    ['remove', 999, 'plk_primary_0123456789abcxy'],
    ['remove', 0, 'lk_primary_0123456789abcxyz'],
    ['insert', 0, `~${key}`],
    ['append', 0, `${key}~`],
    ['replace', 999, 'plk_primary_0123456789abcxy~'],
    ['switch-case', 0, 'Plk_primary_0123456789abcxyz'],
  ] as const)('%s at %d', ([kind, at, result]) => {
    expect(altered(key, { kind, at })).toBe(result);
  });

  test.for(tellingAlterations)('is another one by %o', (how) => {
    expect(altered(key, how)).not.toBe(key);
    expect(altered(key, how)).toBeTypeOf('string');
  });
});

describe('what could be a key after all is not made', () => {
  test('a short key without one of its characters', () => {
    expect(altered('key-12', { kind: 'remove', at: 999 })).toBeUndefined();
  });

  test('a number in base 16 in the other case', () => {
    expect(altered('00ffa0-0123456789abc', { kind: 'switch-case', at: 200 })).toBeUndefined();
  });

  test('such a number behind a prefix', () => {
    expect(altered('key_00ffa00123456789', { kind: 'switch-case', at: 350 })).toBeUndefined();
    expect(altered('key_00ffa0_zzzz', { kind: 'switch-case', at: 400 })).toBe('key_00Ffa0_zzzz');
  });

  test('a number in base 32 in the other case', () => {
    expect(altered('MFRGGZDFMZTWQ2LKNNWG23TP', { kind: 'switch-case', at: 0 })).toBeUndefined();
    expect(altered('mfrggzdfmztwq2lknnwg23tp', { kind: 'switch-case', at: 0 })).toBeUndefined();
    expect(altered('MfrGGzdFmzTwq2lknnWG23tp', { kind: 'switch-case', at: 0 })).toBeDefined();
  });

  test('a digit in the other case', () => {
    expect(altered(key, { kind: 'switch-case', at: 600 })).toBeUndefined();
  });

  test('base 64 that lacks its padding alone', () => {
    expect(altered('c29tZSBsb25nZXIgdGV4dA==', { kind: 'replace', at: 999 })).toBeUndefined();
    expect(altered('c29tZSBsb25nZXIgdGV4dA==', { kind: 'remove', at: 999 })).toBe(
      'c29tZSBsb25nZXIgdGV4d',
    );
  });
});
