/** Words and texts that every form of a report shares: how it is ordered, shown safely, quoted and counted. */

import type { ConformanceReport, Counts, TargetResult } from '../../schemas/report.ts';
import { conclude, type Conclusion, decisions } from './conclusions.ts';

/** Ascending by UTF-16 code unit, for `sort`. */
export function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Ascending by the text that `key` gives, for `sort`. */
export function byKey<T>(key: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => byText(key(left), key(right));
}

/** Controls, and the marks that hide text or change its direction; line feed and tab may stay. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

/** Replaces what cannot be seen, or would act, by `\u{…}`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** The same in one line, cut to `limit` characters. */
export function visibleLine(text: string, limit = 300): string {
  const line = visibleText(text.replaceAll(/\s+/gu, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** What XML 1.0 cannot hold even escaped is shown as `\u{…}`. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replaceAll(
      /[\uFFFE\uFFFF]/gu,
      (sign) => `\\u{${sign.charCodeAt(0).toString(16).toUpperCase()}}`,
    )
    .replaceAll(/[&<>"'\n\t]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** A word as a POSIX shell reads it back unchanged. */
export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `file` is the target file; without one the embedded reference deployments are judged. */
export function replayCommand(file: string | undefined, requirement: string, seed: number): string {
  const words = ['plumbline', 'run'];
  if (file !== undefined) words.push(shellWord(file));
  words.push('--only', shellWord(requirement), '--seed', String(seed));
  return words.join(' ');
}

/** The verdict on one target, as a sentence. */
export function verdictSentence(report: ConformanceReport, target: TargetResult): string {
  const { run, cases } = report;
  const isIdle =
    run.shard !== null && !run.partial && !cases.some((one) => one.target === target.name);
  if (isIdle) return `This shard has no case for ${target.name}.`;
  const conclusion = conclude(report, target);
  return conclusion === 'undecided'
    ? undecidedSentence(report, target)
    : sentences[conclusion](target, scopeOf(report));
}

function undecidedSentence(report: ConformanceReport, target: TargetResult): string {
  const { decided, within, asked } = decisions(report, target);
  return `Whether ${target.name} keeps the ${target.contract} contract is undecided: of ${plural(within, 'stated requirement')} that it lets a run exercise, ${decided} ${decided === 1 ? 'was' : 'were'} decided, fewer than ${asked} %.`;
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

/** What was tried and could not be told is no gap of the target file: many of them may hide a breach. */
function doubts({ inconclusive }: Counts): string {
  if (inconclusive === 0) return '';
  const one = inconclusive === 1;
  return `; ${plural(inconclusive, 'stated requirement')} ${one ? 'is' : 'are'} inconclusive`;
}

/** What kept the run from being a whole one, in a word or two; `''` for a whole run. */
export function scopeOf({ run }: ConformanceReport): string {
  if (run.partial) return 'unfinished run';
  if (run.shard !== null) return 'shard';
  return run.selection.length > 0 ? 'selection' : '';
}

/** `212 of 231 stated requirements held, 4 broken, 15 not exercised`. */
export function countsSentence(
  counts: Counts & { readonly warned?: number },
  kind: string,
): string {
  const rest: readonly (readonly [number, string])[] = [
    [counts.failed + (counts.warned ?? 0), 'broken'],
    [counts.error, counts.error === 1 ? 'error of ours' : 'errors of ours'],
    [counts.inconclusive, 'inconclusive'],
    [counts.waived, 'waived'],
    [counts.notExercised, 'not exercised'],
  ];
  const told = rest.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const held = `${counts.passed} of ${plural(counts.total, `${kind} requirement`)} held`;
  return [held, ...told].join(', ');
}

/** One line per strength, with what the run left out and what it had to ask again. */
export function countLines({ summary, retries }: TargetResult): readonly string[] {
  const { stated, implied, open, notSelected } = summary;
  return [
    countsSentence(stated, 'stated'),
    // Of a selection without any of them there is nothing to say.
    ...(implied.total > 0 ? [countsSentence(implied, 'implied')] : []),
    ...(open.total > 0 ? [`${open.observed} of ${plural(open.total, 'open point')} observed`] : []),
    ...(notSelected > 0 ? [`${plural(notSelected, 'requirement')} left out of this run`] : []),
    ...(retries > 0 ? [`Tried again: ${retriesText(retries)}`] : []),
  ];
}

/** How often something had to be asked again: neither hidden nor held against the target. */
export function retriesText(retries: number): string {
  return `${plural(retries, 'request')}, after trouble on the way or a rate limit`;
}

/** A number with its noun; the plural takes an s. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration for people: `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}
