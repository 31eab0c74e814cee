import { expect, test } from 'vitest';
import type { Proof } from './prove.ts';
import { verdictOf } from './verdict.ts';

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
  expect(verdictOf(proofOf(['a', 'c']))).toMatchObject({ kind: 'wrongly-killed', surplus: ['c'] });
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
