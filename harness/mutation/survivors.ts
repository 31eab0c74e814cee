/** The list of mutants that live, with what people made of each. */

import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { MutantVerdict } from './run-mutants.ts';

/**
 * - `equivalent`: nobody could see a difference.
 * - `open`: the contract allows both.
 * - `hole`: the contract forbids it and the suite does not see it.
 * - `unjudged`: nobody has looked yet.
 */
const survivor = z.object({
  file: z.string(),
  original: z.string(),
  mutator: z.string(),
  replacement: z.string(),
  kind: z.enum(['survived', 'not-reached']),
  verdict: z.enum(['equivalent', 'open', 'hole', 'unjudged']),
  why: z.string(),
});
const survivors = z.array(survivor);

export type Survivor = z.infer<typeof survivor>;

/** What is on disk; nothing when there is no file. */
export function readSurvivors(file: string): readonly Survivor[] {
  return existsSync(file) ? survivors.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** As it is written: one mutant a line, so that a change of one is a change of one line. */
export function survivorsText(list: readonly Survivor[]): string {
  return `[\n${list.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`;
}

/**
 * The survivors of a run, with the verdicts that they had. A mutant is known again by its file, its line as it is
 * written and its change. Files that the run did not touch keep theirs.
 */
export function joined(
  before: readonly Survivor[],
  verdicts: readonly MutantVerdict[],
): readonly Survivor[] {
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const touched = new Set(verdicts.map(({ mutant }) => mutant.file));
  const now = verdicts.flatMap(({ mutant, kind }): readonly Survivor[] => {
    if (kind !== 'survived' && kind !== 'not-reached') return [];
    const { file, original, mutator, replacement } = mutant;
    const { verdict = 'unjudged', why = '' } = known.get(keyOf(mutant)) ?? {};
    return [{ file, original, mutator, replacement, kind, verdict, why }];
  });
  return [...before.filter(({ file }) => !touched.has(file)), ...now].toSorted((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : 1,
  );
}

function keyOf({
  file,
  original,
  mutator,
  replacement,
}: Pick<Survivor, 'file' | 'original' | 'mutator' | 'replacement'>): string {
  return [file, original, mutator, replacement].join('\n');
}
