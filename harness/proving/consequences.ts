/**
 * What faults break beside what they aim at, as runs have found it: who breaks one thing breaks another that comes by. The
 * record is data that `npm run prove -- --write` adds to; whatever a run finds beyond it is told as more than declared.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { referenceNames } from '../contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Proof } from './prove.ts';
import { verdictOf } from './verdict.ts';

/** Where the record is, whatever folder the process runs in; compiled files stand one folder deeper. */
export const CONSEQUENCES_FILE = fileURLToPath(
  new URL(
    `${import.meta.url.includes('/dist/') ? '../' : ''}../../docs/consequences.json`,
    import.meta.url,
  ),
);

/** By contract and by the name of a fault: ids of requirements. */
export type Consequences = Readonly<Record<Contract, Readonly<Record<string, readonly string[]>>>>;

const consequencesSchema = z.record(z.string(), z.record(z.string(), z.array(z.string())));

let recorded: Consequences | undefined;

/** The record, read once. */
export function consequences(): Consequences {
  recorded ??= consequencesSchema.parse(JSON.parse(readFileSync(CONSEQUENCES_FILE, 'utf8')));
  return recorded;
}

/** The record with what these proofs found besides, for the faults that there are. */
export function withProofs(
  before: Consequences,
  proofs: readonly Proof[],
  isFault: (contract: Contract, name: string) => boolean,
): Consequences {
  const of = (contract: Contract): Record<string, readonly string[]> => {
    const entries = new Map(Object.entries(before[contract] ?? {}));
    for (const proof of proofs) {
      const { surplus } = verdictOf(proof);
      if (proof.contract !== contract || proof.kind !== 'fault' || surplus.length === 0) continue;
      entries.set(proof.name, [...(entries.get(proof.name) ?? []), ...surplus].toSorted());
    }
    const kept = [...entries].filter(([name]) => isFault(contract, name));
    return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  };
  return Object.fromEntries(referenceNames.map((contract) => [contract, of(contract)]));
}

/** The record as it stands in its file: a line for each fault. */
export function consequencesText(all: Consequences): string {
  const parts = Object.entries(all).map(([contract, ofFaults]) => {
    const lines = Object.entries(ofFaults).map(
      ([name, ids]) => `    ${JSON.stringify(name)}: ${JSON.stringify(ids)}`,
    );
    return `  "${contract}": {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
