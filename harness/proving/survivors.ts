/** The record of surviving mutants, and docs/mutation.md, which is generated from it. */

import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Contract } from '../../schemas/requirement.ts';
import { contractData } from '../../schemas/contracts.ts';
import { referenceNames } from '../contracts/index.ts';

/**
 * - `equivalent`: the change has no observable effect.
 * - `open`: the contract allows both.
 * - `noticed`: no requirement is found broken, but the run does not end like that of a conforming server: most is
 *   undecided, the run does not end, or the server dies.
 * - `hole`: the contract forbids it and the suite does not notice it.
 * - `unjudged`: nobody has examined it yet.
 */
export const survivorVerdicts = ['equivalent', 'open', 'noticed', 'hole', 'unjudged'] as const;

/** What identifies a mutant from one copy to the next, where the lines before it may be others. */
const identity = z.object({
  contract: z.string(),
  /** Relative to `harness/reference/`, for example `compute/rules/paging.js`. */
  file: z.string(),
  /** The original line, shortened. */
  original: z.string(),
  mutator: z.string(),
  /** The replaced code, on one line and shortened. */
  part: z.string(),
  /** The replacement, on one line and shortened. */
  replacement: z.string(),
  /** Tells apart mutants of a file that agree in all members above, from 1. */
  nth: z.int().positive(),
});

/**
 * - `survived`: the suite ran to its end and found nothing.
 * - `inconclusive`: nothing was found, but much was not decided or exercised, and the report says so.
 * - `not-reached`: no request of a whole run reaches the mutant.
 * - `endless`: the run did not end. A client that waits for a response would have noticed.
 * - `died`: the server died.
 */
const survivor = identity
  .extend({
    kind: z.enum(['survived', 'inconclusive', 'not-reached', 'endless', 'died']),
    verdict: z.enum(survivorVerdicts),
    why: z.string(),
  })
  .strict();
const mutationRecord = z.strictObject({
  /** Number of tried mutants by file. */
  files: z.record(z.string(), z.int().positive()),
  survivors: z.array(survivor),
});

export type Identity = Readonly<z.infer<typeof identity>>;
export type Survivor = z.infer<typeof survivor>;
export type MutationRecord = z.infer<typeof mutationRecord>;

/** The record on disk, or an empty record. */
export function readMutationRecord(file: string): MutationRecord {
  return existsSync(file)
    ? mutationRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
    : { files: {}, survivors: [] };
}

/** The text of the record, with one line per mutant, so that a changed mutant is a changed line. */
export function mutationRecordText({ files, survivors }: MutationRecord): string {
  const listed = survivors.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  return `{\n  "files": ${JSON.stringify(files)},\n  "survivors": [\n${listed}\n  ]\n}\n`;
}

/** The mutants that a run tried, and all that exist. */
export interface Tried {
  readonly contract: Contract;
  readonly mutants: readonly Identity[];
  readonly verdicts: readonly {
    readonly mutant: Identity;
    readonly kind: 'killed' | Survivor['kind'];
  }[];
}

/**
 * The record after a run. Survivors keep their hand-written verdicts: a mutant is identified by its file, its original
 * line and its change. Mutants that the run did not try keep their entries, unless their code is gone.
 */
export function joined(
  { files, survivors }: MutationRecord,
  { contract, mutants, verdicts }: Tried,
): MutationRecord {
  const known = new Map(survivors.map((one) => [keyOf(one), one]));
  const alive = new Set(mutants.map(keyOf));
  const tried = new Set(verdicts.map(({ mutant }) => keyOf(mutant)));
  const kept = survivors.filter(
    (one) => one.contract !== contract || (alive.has(keyOf(one)) && !tried.has(keyOf(one))),
  );
  const now = verdicts.flatMap(({ mutant, kind }): readonly Survivor[] => {
    if (kind === 'killed') return [];
    const { verdict = 'unjudged', why = '' } = known.get(keyOf(mutant)) ?? {};
    return [{ ...identity.parse(mutant), kind, verdict, why }];
  });
  const counts = new Map(Object.entries(files).filter(([file]) => !file.startsWith(contract)));
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const all = mutants.filter((mutant) => mutant.file === file);
    // For a file that was tried in part, the count of the last complete run stays.
    const count = all.every((mutant) => tried.has(keyOf(mutant))) ? all.length : files[file];
    if (count !== undefined) counts.set(file, count);
  }
  return {
    files: Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    survivors: [...kept, ...now].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  };
}

/** Whether the list contains a mutant. */
export function isListed(mutant: Identity, list: readonly Survivor[]): boolean {
  return list.some((one) => keyOf(one) === keyOf(mutant));
}

function keyOf({ contract, file, original, mutator, part, replacement, nth }: Identity): string {
  return [contract, file, original, mutator, part, replacement, nth].join('\n');
}

/** The outcomes of a mutant, with their meanings. */
const kinds: Readonly<Record<Survivor['kind'], string>> = {
  survived: 'nothing was found',
  inconclusive: 'much was left undecided or unexercised, and the report says so',
  'not-reached': 'no request passes through',
  endless: 'the run came to no end',
  died: 'the server died',
};

/** The whole page as Markdown. The hand-written text above the first section is kept. */
export function mutationPage({ files, survivors }: MutationRecord, before: string): string {
  const sections = referenceNames.map((contract) => {
    const own = survivors.filter((one) => one.contract === contract);
    const counts = Object.entries(files).flatMap(([file, count]) =>
      file.startsWith(`${contract}/`) ? [count] : [],
    );
    const tried = counts.reduce((sum, count) => sum + count, 0);
    const row = (name: string, those: readonly Survivor[]): string =>
      `| ${[name, those.length, ...survivorVerdicts.map((verdict) => those.filter((one) => one.verdict === verdict).length)].join(' | ')} |`;
    return [
      `## ${contractData(contract).title}\n`,
      `${tried} mutants in ${counts.length} files: ${tried - own.length} killed, ${own.length} listed.\n`,
      `| listed | mutants | ${survivorVerdicts.join(' | ')} |`,
      `|---|${'---|'.repeat(survivorVerdicts.length + 1)}`,
      ...Object.entries(kinds).map(([kind, meaning]) =>
        row(
          `${kind}: ${meaning}`,
          own.filter((one) => one.kind === kind),
        ),
      ),
      row('all', own),
    ].join('\n');
  });
  return `${before.split(/^## /mu, 1)[0]}${sections.join('\n')}\n`;
}
