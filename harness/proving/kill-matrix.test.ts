import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { consequences, CONSEQUENCES_FILE, consequencesText } from './consequences.ts';
import { summaryOf, withProofs } from './kill-matrix.ts';
import { type Proof, verdictOf } from './prove.ts';

/** A proof of a fault that breaks `a`, with `b` as a consequence. */
function proofOf(found: readonly string[], changed: Partial<Proof> = {}): Proof {
  return {
    kind: 'fault',
    contract: 'router',
    name: 'sample',
    summary: 'Does something wrong.',
    breaks: ['a'],
    consequences: ['b'],
    depth: 'likely',
    members: [],
    found,
    messages: {},
    inconclusive: [],
    errors: [],
    requests: 1,
    requestsToFirst: 1,
    durationMs: 1,
    ...changed,
  };
}

describe('summary', () => {
  it('is not sound when nothing was proved', () => {
    expect(summaryOf([]).sound).toBe(false);
  });
});

describe('consequences', () => {
  test('the record gets what was found besides, and loses faults that are gone', () => {
    const before = { compute: {}, router: { gone: ['a'], sample: ['b'] } };
    const proofs = [proofOf(['a', 'c']), proofOf(['a', 'b'], { name: 'clean' })];
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
    expect(verdictOf(proofOf(['b'], { depth: 'full' })).kind).toBe('killed');
    expect(verdictOf(proofOf([], { depth: 'full' })).kind).toBe('survived');
    expect(verdictOf(proofOf(['c'], { depth: 'full' })).kind).toBe('survived');
  });

  test('what conforms is quiet', () => {
    const variant = proofOf([], { kind: 'variant', breaks: [], consequences: [] });
    expect(verdictOf(variant).kind).toBe('quiet');
    expect(verdictOf({ ...variant, found: ['c'] }).kind).toBe('false-alarm');
    expect(verdictOf({ ...variant, errors: ['broken'] }).kind).toBe('false-alarm');
  });
});
