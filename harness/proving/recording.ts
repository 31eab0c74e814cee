/** What the unchanged reference does before every case, with which that of a mutant is compared. */

import type { CaseCost } from './trial.ts';
import type { MutantPool } from './mutant-pool.ts';

export interface Recording {
  /** Of the cases, by position. */
  readonly titles: readonly string[];
  /** By position of the case. */
  readonly costs: readonly CaseCost[];
  /** How many mutants requests pass through. */
  readonly reached: number;
  /** Positions of the cases that pass through a mutant; undefined where not even a whole run does. */
  readonly casesOf: (id: string) => readonly number[] | undefined;
  /** Whether a mutant stands where something happens once, as a module is evaluated. */
  readonly isAtImport: (id: string) => boolean;
  /** Requirements that stay undecided or unexercised. */
  readonly undecided: ReadonlySet<string>;
}

/**
 * Runs every case by itself, to tell which mutants each passes through, and all of them together.
 * Rejects when the unchanged reference is found at fault.
 */
export async function recorded(pool: MutantPool): Promise<Recording> {
  // A job without cases tells their titles.
  const first = await pool.run({ on: [], cases: [] });
  if (typeof first === 'string') throw new Error(`the copy cannot be loaded: ${first}`);
  const { titles } = first;
  const costs: CaseCost[] = [];
  const reaching = new Map<string, Set<number>>();
  const undecided = new Set<string>();
  const atImport = new Set<string>();
  const everyCase = [...titles.keys()];
  const runs = [{ at: undefined }, ...everyCase.map((at) => ({ at }))];
  await pool.each<{ readonly at: number | undefined }>(runs, async ({ at }) => {
    const result = await pool.run({ on: [], cases: at === undefined ? undefined : [at] });
    const name = at === undefined ? 'the whole suite' : titles[at];
    if (typeof result === 'string') throw new Error(`${name} before the reference: ${result}`);
    if (result.killedBy !== undefined) {
      throw new Error(`the unchanged reference is found at fault by ${name}: ${result.killedBy}`);
    }
    for (const requirement of result.undecided) undecided.add(requirement);
    for (const id of result.reached.import) atImport.add(id);
    for (const id of result.reached.start) reaching.set(id, new Set(everyCase));
    for (const id of result.reached.cases) {
      const positions = reaching.get(id) ?? new Set();
      reaching.set(id, positions);
      if (at !== undefined) positions.add(at);
    }
    if (at !== undefined) costs[at] = result;
  });
  return {
    titles,
    costs,
    reached: reaching.size,
    casesOf: (id) => {
      const positions = reaching.get(id);
      return positions === undefined ? undefined : [...positions];
    },
    isAtImport: (id) => atImport.has(id),
    undecided,
  };
}
