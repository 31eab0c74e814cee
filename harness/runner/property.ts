/** Runs one property: generated values, a bounded search for the smallest counterexample, and counts of informative runs. */

import { type Arbitrary, asyncProperty, check, stringify } from 'fast-check';
import { type Judgement, present } from '../checks/judgement.ts';
import { type ArbitraryOfCommands, Inconclusive, type PropertyOptions } from './case.ts';
import type { CaseRecorder } from './recorder.ts';

/** Default number of milliseconds after which a property tries no further value, shrinking included. */
const TIME_LIMIT_MS = 20_000;
/** Default number of values tried in search of a smaller counterexample. */
const MAX_SHRINKS = 500;
/** Separates the path of a counterexample from the record of the commands that ran. */
const PATH_SEPARATOR = '@';

/** Makes fast-check treat a broken requirement as a failing value; never leaves this file. */
class Broken extends Error {}

interface Judged {
  readonly id: string;
  readonly judgement: Judgement;
}

export interface PropertyRequest<T> extends Omit<PropertyOptions<T>, 'weight'> {
  readonly name: string;
  readonly arbitrary: Arbitrary<T> | ArbitraryOfCommands<T>;
  readonly probe: (value: T, judge: (id: string, judgement: Judgement) => void) => Promise<void>;
  readonly runs: number;
  readonly seed: number;
  /** Path of a counterexample to replay. */
  readonly path?: string | undefined;
  readonly signal: AbortSignal;
}

/** Records violations with counterexamples. Throws what a probe threw, or `Inconclusive` without an informative value. */
export async function runProperty<T>(
  request: PropertyRequest<T>,
  evidence: CaseRecorder,
): Promise<void> {
  let stopped: unknown;
  let runs = 0;
  let informative = 0;
  let failing: readonly Judged[] = [];
  let shrinksLeft = request.mostShrinks ?? MAX_SHRINKS;
  const limit = request.timeLimitMs ?? TIME_LIMIT_MS;
  const begun = performance.now();

  const [path, replayPath = null] = request.path?.split(PATH_SEPARATOR) ?? [];
  const arbitrary =
    typeof request.arbitrary === 'function' ? request.arbitrary(replayPath) : request.arbitrary;
  const examples = (request.examples ?? []).map((value): [T] => [value]);
  const property = asyncProperty(arbitrary, async (value) => {
    if (stopped !== undefined || request.signal.aborted) return;
    // The first value is tried to its end, however slow the pace is.
    if (runs > 0 && performance.now() - begun > limit) return;
    if (failing.length > 0 && (shrinksLeft -= 1) < 0) return;
    const judged: Judged[] = [];
    try {
      await request.probe(value, (id, judgement) => judged.push({ id, judgement }));
    } catch (error) {
      // An error is not a counterexample: it ends the property and is not shrunk.
      stopped ??= error;
      return;
    }
    // An interrupted run cuts off its own requests, so this value says nothing.
    if (request.signal.aborted) return;
    const broken = judged.filter(({ judgement }) => judgement.violations.length > 0);
    if (failing.length === 0) {
      runs += 1;
      if (judged.some(({ judgement }) => judgement.seen > 0)) informative += 1;
    }
    if (broken.length > 0) {
      failing = broken;
      throw new Broken();
    }
    for (const { id, judgement } of judged) evidence.judge(id, judgement);
  });

  const details = await check(property, {
    // A replay tries only the value at the path.
    numRuns: path === undefined ? Math.max(1, request.runs) + examples.length : 1,
    examples,
    endOnFailure: path !== undefined,
    seed: request.seed,
    ...(path === undefined ? {} : { path }),
  });

  evidence.propertyRun({ name: request.name, runs, informative, seed: request.seed });
  for (const { id, judgement } of failing) {
    evidence.judge(id, { seen: judgement.seen, violations: [] });
    for (const violation of judgement.violations) {
      evidence.find(id, violation, undefined, {
        property: request.name,
        ...shown(details.counterexample?.[0], details.counterexamplePath ?? ''),
        seed: request.seed,
      });
    }
  }
  if (stopped !== undefined) throw stopped;
  if (runs === 0) throw new Inconclusive(`no value of "${request.name}" was tried to its end`);
  if (informative === 0) {
    const none = `none of the ${runs} values tried in "${request.name}" told anything`;
    throw new Inconclusive(`${none}${evidence.usualAnswer}`);
  }
}

/** A counterexample as text, and the path that replays it. */
function shown(value: unknown, path: string): { readonly value: string; readonly path: string } {
  if (value === undefined) return { value: '', path };
  // fast-check prints commands with the record of those that ran; it prints no other value that way.
  const printed =
    typeof value === 'object' && value !== null
      ? /^(.*) \/\*replayPath="(.*)"\*\/$/su.exec(stringify(value))
      : null;
  const [, commands, replayPath] = printed ?? [];
  if (commands === undefined) return { value: present(value), path };
  return { value: commands, path: `${path}${PATH_SEPARATOR}${replayPath ?? ''}` };
}
