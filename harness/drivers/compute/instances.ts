/**
 * Reads single instances, through the list and through their own records, and waits for them: the contract gives no
 * times.
 */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { accepted } from '../../checks/compute/answers.ts';
import { nextCursor } from '../../checks/collection/bounds.ts';
import { isDying, isInstanceState, type ObservedState } from '../../checks/compute/lifecycle.ts';
import {
  instancesOf,
  isSuccess,
  type ShownRecord,
  textOf,
  type WireRecord,
} from '../../checks/compute/records.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { readRecord } from '../../target/bindings.ts';
import type { CallOptions, ComputeApi, Observation, ComputeContext } from './api.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { eventually, retry, limitMs, type Waiting, within } from '../../runner/retry.ts';
import { type Wait, waits } from '../../runner/waits.ts';
import {
  describedAlike,
  namesInstance,
  sameDescription,
  unmoved,
} from '../../checks/compute/record-relations.ts';
import { Experiment, Inconclusive, NotExercised } from '../../runner/case.ts';

/** Pages of the list that are searched for one instance when no binding says how to read its record. */
const SEARCHED_PAGES = 5;

/** Looks at one instance: through its own record if bound, or else the list; undefined when it is not visible. */
export async function observe(
  api: ComputeApi,
  bindings: ComputeBindings,
  id: string,
  options: CallOptions = {},
): Promise<Observation | undefined> {
  const path = bindings.getInstance?.record;
  if (path !== undefined) {
    const exchange = await api.get(id, options);
    if (!isSuccess(exchange)) return undefined;
    const body = jsonBody(exchange);
    const record = body.ok ? readRecord(body.value, path) : undefined;
    // The form of this body is open: when its status is none of the states, the list is read.
    if (record !== undefined && isInstanceState(record['status']))
      return observationOf(exchange, record);
  }
  return observeInList(api, id, options);
}

/** Compares an id in a record with the requested one; UUIDs may be written in either case. */
function isSameId(shown: unknown, id: string): boolean {
  return typeof shown === 'string' && shown.toLowerCase() === id.toLowerCase();
}

/** Looks for one instance in the newest pages of the list. */
export async function observeInList(
  api: ComputeApi,
  id: string,
  options: CallOptions = {},
): Promise<Observation | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < SEARCHED_PAGES; page += 1) {
    const exchange = await api.list({ size: 200, cursor }, options);
    const body = jsonBody(exchange);
    const data = body.ok && isObject(body.value) ? body.value['data'] : undefined;
    const found = Array.isArray(data)
      ? data.filter(isObject).find((record) => isSameId(record['instance_id'], id))
      : undefined;
    if (found !== undefined) return observationOf(exchange, found);
    const next = nextCursor(exchange);
    if (typeof next !== 'string') return undefined;
    cursor = next;
  }
  return undefined;
}

/** Whether terminated instances stay readable and listed is open; the status filter is the last resort. */
export async function observeAmongTerminated(
  api: Pick<ComputeApi, 'list'>,
  id: string,
): Promise<Observation | undefined> {
  const exchange = await api.list({ status: 'terminated', size: 200 });
  const found = instancesOf(exchange)?.find((one) => isSameId(one['instance_id'], id));
  return found === undefined ? undefined : observationOf(exchange, found);
}

function observationOf(exchange: Exchange, record: Readonly<Record<string, unknown>>): Observation {
  const status = record['status'];
  return { exchange, record, status: typeof status === 'string' ? status : '' };
}

/**
 * Judges what `read` returns against the list around it, until nothing is wrong: owners rename, prices change, and a
 * list may be stale. Undefined when the list does not show the instance, or `read` finds nothing.
 */
export async function compareWithList<T>(
  t: Pick<ComputeContext, 'observeInList' | 'signal'>,
  id: string,
  read: () => Promise<T | undefined>,
  judge: (found: T, before: Observation, after: Observation) => readonly Judgement[],
  wait: Wait = waits.copyCatchesUp,
): Promise<Judgement | undefined> {
  return eventually(t, wait, async () => {
    const before = await t.observeInList(id);
    const found = await read();
    const after = await t.observeInList(id);
    if (before === undefined || after === undefined || found === undefined) return undefined;
    return together(...judge(found, before, after));
  });
}

/** Approximate number of instances that are read. */
const READ = 8;

interface ListedInstance extends ShownRecord {
  readonly id: string;
}

const live = new Experiment(async (t: ComputeContext) => {
  const exchange = await t.api.list({ size: 200 });
  const found = (instancesOf(exchange) ?? [])
    .filter((record) => !isDying(textOf(record, 'status')))
    .flatMap((record) => {
      const id = textOf(record, 'instance_id');
      return id === undefined ? [] : [{ id, record, exchange }];
    });
  const [first, ...others]: readonly ListedInstance[] = found;
  if (first === undefined) throw new NotExercised('no instance that lives stands in the list');
  const step = Math.max(1, found.length / READ);
  const isTaken = (index: number) => Math.floor(index / step) !== Math.floor((index - 1) / step);
  const firsts = new Map(found.toReversed().map((one) => [textOf(one.record, 'status'), one]));
  const isFirst = new Set(firsts.values());
  return [first, ...others.filter((one, index) => isTaken(index + 1) || isFirst.has(one))] as const;
});

/** Some instances that are not being destroyed, of every state and spread over the newest page. Throws `NotExercised` when there is none. */
export const someLive = async (t: ComputeContext) => live.of(t);

interface Reading extends Pick<ComputeContext, 'bindings' | 'observeInList' | 'signal'> {
  readonly api: Pick<ComputeContext['api'], 'get'>;
}

export interface SingleRead {
  readonly exchange: Exchange;
  /** False when the instance was refused and is no longer among the live ones of the list. */
  readonly isLive: boolean;
  /** The record, if the target file says how to find it. */
  readonly single: WireRecord | undefined;
}

/** Reads one instance; retries a failure until even a stale list would no longer show the instance. */
export async function readSingle(
  t: Reading,
  id: string,
  wait: Wait = waits.copyCatchesUp,
): Promise<SingleRead> {
  const { exchange, isLive } = await retry(
    t,
    wait,
    async () => {
      const read = await t.api.get(id);
      if (isSuccess(read)) return { exchange: read, isLive: true };
      const listed = await t.observeInList(id);
      const lives = listed !== undefined && !isDying(listed.status);
      return { exchange: lives ? await t.api.get(id) : read, isLive: lives };
    },
    (read) => isSuccess(read.exchange) || !read.isLive,
  );
  const path = t.bindings.getInstance?.record;
  const body = jsonBody(exchange);
  const single =
    path !== undefined && isSuccess(exchange) && body.ok ? readRecord(body.value, path) : undefined;
  return { exchange, isLive, single };
}

/** The reason why an instance cannot be followed. That its own record is not found while a list shows it alive is judged. */
export async function outOfSight(
  t: Reading & Pick<ComputeContext, 'judge'>,
  id: string,
): Promise<Inconclusive> {
  const { exchange, isLive } = await readSingle(t, id);
  const what = 'Reading an instance that a list shows';
  if (isLive) t.judge('compute.get-instance.own-instance', accepted(exchange, what));
  return new Inconclusive(`no list or record shows instance ${id}`);
}

/** Compares a single record with the list just before and just after it; not observed when one of them does not show it. */
export async function agreesInTheEnd(
  t: Reading,
  id: string,
  wait: Wait = waits.copyCatchesUp,
): Promise<Judgement> {
  const judgement = await compareWithList(
    t,
    id,
    async () => {
      const { exchange, single } = await readSingle(t, id);
      return single === undefined ? undefined : { exchange, record: single };
    },
    (single, before, after) => [
      sameDescription(after, single, unmoved(describedAlike, before.record, after.record)),
    ],
    wait,
  );
  return judgement ?? notObserved;
}

const singles = new Experiment(async (t: ComputeContext) => {
  const reads = [];
  for (const listed of await someLive(t)) {
    reads.push({ listed, ...(await readSingle(t, listed.id)) });
  }
  return reads;
});

/** The instances of `someLive` as the list shows them, each also read by itself. */
export const someSingles = async (t: ComputeContext) => singles.of(t);

/** Compares single records with the list: whether the ids match, and whether both describe the instance alike. */
export async function compareSingles(
  t: ComputeContext,
): Promise<{ readonly names: Judgement; readonly descriptions: Judgement }> {
  const [names, descriptions]: [Judgement[], Judgement[]] = [[], []];
  for (const { listed, exchange, single } of await someSingles(t)) {
    if (single === undefined) continue;
    const { id } = listed;
    const read = { exchange, record: single };
    names.push(namesInstance(read, id));
    const first = sameDescription(listed, read, describedAlike);
    descriptions.push(first.violations.length > 0 ? await agreesInTheEnd(t, id) : first);
  }
  return { names: together(...names), descriptions: together(...descriptions) };
}

interface Patient extends Waiting {
  /** Shared by all cases of a run. */
  readonly session: object;
  readonly target: { readonly budget: { readonly minutes: number } };
}

interface Goal {
  readonly instance: string;
  readonly goal: string;
  /** Grows with every state in which the instance is seen. */
  readonly states: readonly ObservedState[];
}

/** Sessions in which an instance was stuck for good; all later waits are shorter. */
const stuckSessions = new WeakSet<object>();

/** Records that an instance is stuck. */
export function foundStuck({ session }: Pick<Patient, 'session'>): void {
  stuckSessions.add(session);
}

/** Asks until `done` holds. Throws `Inconclusive` when that takes too long, sooner if another instance is stuck. */
export async function untilDone(
  t: Patient,
  { instance, goal, states }: Goal,
  done: () => Promise<boolean>,
  wait: 'settles' | 'settlesClosely' = 'settles',
): Promise<void> {
  const ms = Math.min(waits.settles.withinMs, (t.target.budget.minutes * 60_000) / 4);
  const from = performance.now();
  const isGivenUp = () =>
    stuckSessions.has(t.session) && performance.now() - from > limitMs('settlesBesideStuck');
  if (await retry(t, within(wait, ms), done, (isDone) => isDone || isGivenUp())) return;
  const seconds = Math.round((performance.now() - from) / 1_000);
  const why = isGivenUp() ? 'where another one is stuck' : 'a quarter of budget.minutes';
  throw new Inconclusive(
    `instance ${instance} did not come to ${goal} within ${seconds} s, ${why}; last seen ${states.at(-1)?.state ?? 'nowhere'}`,
  );
}
