/** `docs/consequences.json`: the requirements that each fault breaks besides its aim. Written by the proof. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Contract } from '../../schemas/requirement.ts';

/** Absolute path of the record. Compiled files lie one folder deeper. */
export const CONSEQUENCES_FILE = fileURLToPath(
  new URL(
    `${import.meta.url.includes('/dist/') ? '../' : ''}../../docs/consequences.json`,
    import.meta.url,
  ),
);

/** Requirement ids by contract and fault name. */
export type Consequences = Readonly<Record<Contract, Readonly<Record<string, readonly string[]>>>>;

const consequencesSchema = z.record(z.string(), z.record(z.string(), z.array(z.string())));

let recorded: Consequences | undefined;

/** The record, read once. */
export function consequences(): Consequences {
  recorded ??= consequencesSchema.parse(JSON.parse(readFileSync(CONSEQUENCES_FILE, 'utf8')));
  return recorded;
}

/** The text of the record file, with one line per fault. */
export function consequencesText(all: Consequences): string {
  const parts = Object.entries(all).map(([contract, ofFaults]) => {
    const lines = Object.entries(ofFaults).map(
      ([name, ids]) => `    ${JSON.stringify(name)}: ${JSON.stringify(ids)}`,
    );
    return `  "${contract}": {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
