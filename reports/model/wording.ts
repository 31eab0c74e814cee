/** The result of a run in sentences that all report formats share. */

import type { ConformanceReport, Counts, TargetResult } from '../../schemas/report.ts';
import {
  conclude,
  type Conclusion,
  decisions,
  laterTriesText,
  missingShardsText,
  unmetProfiles,
} from './conclusions.ts';
import { troubleOf } from './lost.ts';
import { firstOf, plural } from './text.ts';

/** The verdict on one target as a sentence. */
export function verdictSentence(report: ConformanceReport, target: TargetResult): string {
  const { run, cases } = report;
  const isIdle =
    run.shard !== null && !run.partial && !cases.some((one) => one.target === target.name);
  if (isIdle) return `This shard has no case for ${target.name}.`;
  const conclusion = conclude(report, target);
  const trouble = troubleOf(report, target);
  if (trouble !== undefined && conclusion !== 'violates' && conclusion !== 'unjudged') {
    return `${whether(target)}: ${trouble}.`;
  }
  return conclusion === 'undecided'
    ? undecidedSentence(report, target)
    : sentences[conclusion](target, scopeOf(report));
}

function undecidedSentence(report: ConformanceReport, target: TargetResult): string {
  const { decided, within, asked } = decisions(report, target);
  const unmet = unmetProfiles(report, target);
  if (unmet.length > 0) {
    const held = unmet.map((one) => `${one.name}, ${one.held} of ${one.total} held`);
    return `${whether(target)}: a required profile is not met (${held.join('; ')}).`;
  }
  return `${whether(target)}: of ${plural(within, 'stated requirement')} that it lets a run exercise, ${decided} ${decided === 1 ? 'was' : 'were'} decided, fewer than ${asked} %.`;
}

function whether({ name, contract }: TargetResult): string {
  return `Whether ${name} keeps the ${contract} contract is undecided`;
}

const sentences: Readonly<
  Record<Exclude<Conclusion, 'undecided'>, (target: TargetResult, scope: string) => string>
> = {
  conforms: ({ name, contract, summary: { stated } }, scope) =>
    stated.waived > 0
      ? `${name} breaks the ${contract} contract only where that is waived,${asFarAs(scope)}${doubts(stated)}.`
      : stated.passed === stated.total && scope === ''
        ? `${name} keeps the ${contract} contract.`
        : `${name} keeps the ${contract} contract${asFarAs(scope)}${doubts(stated)}.`,
  violates: ({ name, contract }) => `${name} breaks the ${contract} contract.`,
  'nothing-exercised': ({ name, contract }) =>
    `Nothing of the ${contract} contract was seen at ${name}, so nothing can be said.`,
  unjudged: ({ name, contract }) =>
    `The suite itself failed; it cannot say whether ${name} keeps the ${contract} contract.`,
};

function asFarAs(scope: string): string {
  return ` as far as ${scope === '' ? 'it was exercised' : `this ${scope} tells`}`;
}

/** Inconclusive requirements are stated apart, since many of them may hide a violation. */
function doubts({ inconclusive }: Counts): string {
  if (inconclusive === 0) return '';
  const one = inconclusive === 1;
  return `; ${plural(inconclusive, 'stated requirement')} ${one ? 'is' : 'are'} inconclusive`;
}

/** Why it is not a whole run, in a word or two; `''` for a whole run. */
export function scopeOf({ run }: ConformanceReport): string {
  if (run.partial) return 'unfinished run';
  if (run.shard !== null) return 'shard';
  return run.selection.length > 0 ? 'selection' : '';
}

/** Returns `212 of 231 stated requirements held, 4 broken, 15 not exercised`. */
export function countsSentence(
  counts: Counts & { readonly warned?: number },
  kind: string,
): string {
  const rest: readonly (readonly [number, string])[] = [
    [counts.failed + (counts.warned ?? 0), 'broken'],
    [counts.error, counts.error === 1 ? 'suite error' : 'suite errors'],
    [counts.inconclusive, 'inconclusive'],
    [counts.waived, 'waived'],
    [counts.notExercised, 'not exercised'],
  ];
  const counted = rest
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`);
  const held = `${counts.passed} of ${plural(counts.total, `${kind} requirement`)} held`;
  return [held, ...counted].join(', ');
}

/** Missing shards, one line per strength, what the run left out, and its retries. */
export function countLines(report: ConformanceReport, target: TargetResult): readonly string[] {
  const { summary, retries, notes = [] } = target;
  const { stated, implied, open, notSelected } = summary;
  const lines: readonly (string | false | undefined)[] = [
    missingShardsText(report),
    countsSentence(stated, 'stated'),
    // A selection without any of them needs no line.
    implied.total > 0 && countsSentence(implied, 'implied'),
    open.total > 0 && `${open.observed} of ${plural(open.total, 'open point')} observed`,
    notSelected > 0 && `${plural(notSelected, 'requirement')} left out of this run`,
    retries > 0 && retriesText(retries),
    ...notes,
    laterTriesText(report, target),
  ];
  return lines.filter((line) => line !== undefined && line !== false);
}

/** States the number of retries, which do not count against the target. */
export function retriesText(retries: number): string {
  return `${plural(retries, 'request')} retried (network error or rate limit)`;
}

/** Most requirements that are named as broken before. */
const SHOWN_AFTER = 2;

/** ` (after ID)` with what the same cases found broken, or an empty text. */
export function afterText(after: readonly string[]): string {
  return after.length === 0 ? '' : ` (after ${firstOf(after, SHOWN_AFTER)})`;
}
