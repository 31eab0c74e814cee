import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONSEQUENCES_FILE, consequences, consequencesText, withProofs } from './consequences.ts';
import type { Proof } from './prove.ts';

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
