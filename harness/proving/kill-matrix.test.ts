import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  consequences,
  CONSEQUENCES_FILE,
  consequencesText,
  summaryOf,
  withProofs,
} from './kill-matrix.ts';
import { type Proof, verdictOf } from './prove.ts';

describe('summary', () => {
  it('is not sound when nothing was proved', () => {
    expect(summaryOf([]).sound).toBe(false);
  });
});

describe('consequences', () => {
  function proofOf(name: string, found: readonly string[]): Proof {
    return {
      kind: 'fault',
      contract: 'router',
      name,
      summary: 'Does something wrong.',
      breaks: ['a'],
      consequences: ['b'],
      depth: 'full',
      members: [],
      found,
      messages: {},
      inconclusive: [],
      errors: [],
      requests: 1,
      requestsToFirst: 1,
      durationMs: 1,
      complete: true,
    };
  }

  test('the record gets what was found besides, and loses faults that are gone', () => {
    const before = { compute: {}, router: { gone: ['a'], sample: ['b'] } };
    const proofs = [proofOf('sample', ['a', 'c']), proofOf('clean', ['a', 'b'])];
    expect(withProofs(before, proofs, (_contract, name) => name !== 'gone')).toEqual({
      compute: {},
      router: { sample: ['b', 'c'] },
    });
  });

  test('the record is as the command writes it', () => {
    expect(readFileSync(CONSEQUENCES_FILE, 'utf8')).toBe(consequencesText(consequences()));
  });
});

describe('verdict', () => {
  /** A proof of a fault that breaks `a`, and with it `b`. */
  function proofOf(found: readonly string[], depth: Proof['depth'] = 'likely'): Proof {
    return {
      kind: 'fault',
      contract: 'router',
      name: 'sample',
      summary: 'Does something wrong.',
      breaks: ['a'],
      consequences: ['b'],
      depth,
      members: [],
      found,
      messages: {},
      inconclusive: [],
      errors: [],
      requests: 1,
      requestsToFirst: 1,
      durationMs: 1,
      complete: true,
    };
  }

  test('a fault is killed by what it declares, with its consequences or without', () => {
    expect(verdictOf(proofOf(['a'])).kind).toBe('killed');
    expect(verdictOf(proofOf(['a', 'b'])).kind).toBe('killed');
    expect(verdictOf(proofOf(['a', 'c']))).toMatchObject({
      kind: 'wrongly-killed',
      surplus: ['c'],
    });
  });

  test('a consequence alone kills a fault that met the whole suite', () => {
    expect(verdictOf(proofOf(['b']))).toMatchObject({ kind: 'survived', missed: ['a'] });
    expect(verdictOf(proofOf(['b'], 'full')).kind).toBe('killed');
    expect(verdictOf(proofOf([], 'full')).kind).toBe('survived');
    expect(verdictOf(proofOf(['c'], 'full')).kind).toBe('survived');
  });

  test('what conforms is quiet', () => {
    const variant = { ...proofOf([]), kind: 'variant', breaks: [], consequences: [] } as const;
    expect(verdictOf(variant).kind).toBe('quiet');
    expect(verdictOf({ ...variant, found: ['c'] }).kind).toBe('false-alarm');
    expect(verdictOf({ ...variant, errors: ['broken'] }).kind).toBe('false-alarm');
  });
});
