/** The record of what faults break besides their aim, in `docs/consequences.json`. Proofs write it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Contract } from '../../schemas/requirement.ts';

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
