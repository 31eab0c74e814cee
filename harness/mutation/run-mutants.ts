/** Puts mutants before the suite: before the cases that reach them, and what lives before all of it. */

import type { Contract } from '../../schemas/requirement.ts';
import { type CaseCost, Credits, wavesOf } from './case-choice.ts';
import type { Mutant, Mutated } from './instrument.ts';
import { type JobEnd, MutantPool } from './mutant-pool.ts';
import type { MutantResult } from './mutant-thread.ts';

/**
 * - `killed`: the suite found something.
 * - `survived`: it ran to its end and found nothing.
 * - `inconclusive`: it found nothing because it could not decide much; no run like that conforms in silence.
 * - `not-reached`: no request of a whole run passes through.
 * - `endless`: it came to no end; whoever waits for an answer would have noticed.
 * - `died`: the server died of it.
 */
export interface MutantVerdict {
  readonly mutant: Mutant;
  readonly kind: 'killed' | 'survived' | 'inconclusive' | 'not-reached' | 'endless' | 'died';
  readonly by?: string | undefined;
  readonly requests: number;
}

export interface MutantRunOptions {
  readonly contract: Contract;
  /** Values that a property of weight 1 tries. */
  readonly runs: number;
  readonly threads: number;
  /** Whether what the cases that reach a mutant do not find meets the whole suite. */
  readonly whole: boolean;
  /** After this no further mutant is begun. */
  readonly untilMs: number;
  readonly onRecorded: (cases: number, reached: number) => void;
  readonly onVerdict: (verdict: MutantVerdict, done: number, total: number) => void;
}

/** Requirements that a loaded machine may leave undecided. */
const FEW = 5;
/** Whole runs of conforming deployments take seconds; this is far from that, also where several share a processor. */
const LONGEST_MS = 180_000;

/** Verdicts of those that were begun. Throws when the unchanged reference is found at fault. */
export async function runMutants(
  { folder, mutants }: Mutated,
  options: MutantRunOptions,
): Promise<readonly MutantVerdict[]> {
  const pool = new MutantPool({ ...options, folder, longestMs: LONGEST_MS });
  try {
    const usual = await recorded(pool);
    options.onRecorded(usual.costs.length, usual.reached);
    const credits = new Credits();
    const verdicts: MutantVerdict[] = [];
    await pool.each(mutants, async (mutant) => {
      if (performance.now() > options.untilMs) return;
      const verdict = await verdictOf(mutant, usual, credits, pool, options);
      verdicts.push(verdict);
      options.onVerdict(verdict, verdicts.length, mutants.length);
    });
    return verdicts;
  } finally {
    await pool.close();
  }
}

/** What the unchanged reference does. */
interface Usual {
  readonly costs: readonly CaseCost[];
  /** How many mutants requests pass through. */
  readonly reached: number;
  /** Positions of the cases that pass through a mutant; undefined where none does. */
  readonly casesOf: (id: string) => readonly number[] | undefined;
  /** Whether a mutant stands where something happens once, as a module is evaluated. */
  readonly isAtImport: (id: string) => boolean;
  readonly inconclusive: ReadonlySet<string>;
}

/** Runs every case by itself, to tell which mutants each passes through, and all of them together. */
async function recorded(pool: MutantPool): Promise<Usual> {
  const titles = await pool.cases();
  const costs: CaseCost[] = [];
  const reaching = new Map<string, Set<number>>();
  const inconclusive = new Set<string>();
  const atImport = new Set<string>();
  const everyCase = [...titles.keys()];
  await pool.each(
    [undefined, ...everyCase].map((at) => ({ at })),
    async ({ at }) => {
      const result = await pool.run({ id: undefined, cases: at === undefined ? undefined : [at] });
      const name = at === undefined ? 'the whole suite' : titles[at];
      if (typeof result === 'string') throw new Error(`${name} before the reference: ${result}`);
      if (result.killedBy !== undefined) {
        throw new Error(`the unchanged reference is found at fault by ${name}: ${result.killedBy}`);
      }
      for (const requirement of result.inconclusive) inconclusive.add(requirement);
      for (const id of result.reached.import) atImport.add(id);
      for (const id of result.reached.start) reaching.set(id, new Set(everyCase));
      for (const id of result.reached.cases) {
        const positions = reaching.get(id) ?? new Set();
        reaching.set(id, positions);
        if (at !== undefined) positions.add(at);
      }
      if (at !== undefined) costs[at] = result;
    },
  );
  return {
    costs,
    reached: reaching.size,
    casesOf: (id) => {
      const positions = reaching.get(id);
      return positions === undefined ? undefined : [...positions];
    },
    isAtImport: (id) => atImport.has(id),
    inconclusive,
  };
}

async function verdictOf(
  mutant: Mutant,
  usual: Usual,
  credits: Credits,
  pool: MutantPool,
  options: MutantRunOptions,
): Promise<MutantVerdict> {
  const cases = usual.casesOf(mutant.id);
  const once = usual.isAtImport(mutant.id);
  if (cases === undefined && !once) return { mutant, kind: 'not-reached', requests: 0 };
  const waves: (readonly number[] | undefined)[] = [
    ...wavesOf(once ? [] : (cases ?? []), {
      costs: usual.costs,
      credit: credits.of(mutant.file),
      whole: options.whole,
    }),
  ];
  // What nobody passes through alone is passed through in company.
  if (options.whole || waves.length === 0) waves.push(undefined);
  let requests = 0;
  let unclear = 0;
  for (const wave of waves) {
    const end: JobEnd = once
      ? await pool.runFromImport(mutant.id, wave)
      : await pool.run({ id: mutant.id, cases: wave });
    if (typeof end === 'string') return { mutant, kind: end, requests };
    requests += end.requests;
    if (end.killedBy !== undefined) {
      credits.add(mutant.file, end.finders);
      return { mutant, kind: 'killed', by: end.killedBy, requests };
    }
    unclear = newlyInconclusive(end, usual);
  }
  return { mutant, kind: unclear > FEW ? 'inconclusive' : 'survived', requests };
}

function newlyInconclusive({ inconclusive }: MutantResult, usual: Usual): number {
  return inconclusive.filter((requirement) => !usual.inconclusive.has(requirement)).length;
}
