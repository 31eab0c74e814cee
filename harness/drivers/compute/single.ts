/** Reads instances one by one, on an account where others terminate some meanwhile. */

import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import {
  describedAlike,
  namesInstance,
  sameDescription,
  unmoved,
} from '../../checks/compute/single-record.ts';
import { type WireRecord, instancesOf, isSuccess, textOf } from '../../checks/compute/records.ts';
import { jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { NotExercised } from '../../runner/signals.ts';
import { readRecord } from '../../target/bindings.ts';
import { againstList } from './against-list.ts';
import type { ComputeContext } from './context.ts';
import { retry, type Wait, waits } from '../../runner/retry.ts';

/** Instances that are read, about. */
const READ = 8;
const dying: ReadonlySet<string> = new Set(['TERMINATING', 'TERMINATED']);

export interface ListedInstance {
  readonly id: string;
  readonly record: WireRecord;
}

/**
 * Some instances that are not being destroyed, from all over the newest page. Throws `NotExercised` when there is
 * none.
 */
export async function someLive(
  t: Pick<ComputeContext, 'api'>,
): Promise<readonly [ListedInstance, ...ListedInstance[]]> {
  const records = instancesOf(await t.api.list({ size: 200 })) ?? [];
  const live = records
    .filter((record) => !dying.has(textOf(record, 'status') ?? ''))
    .flatMap((record) => {
      const id = textOf(record, 'instance_id');
      return id === undefined ? [] : [{ id, record }];
    });
  const [first, ...others] = live;
  if (first === undefined) throw new NotExercised('no instance that lives stands in the list');
  const step = Math.max(1, live.length / READ);
  const isTaken = (index: number) => Math.floor(index / step) !== Math.floor((index - 1) / step);
  return [first, ...others.filter((_, index) => isTaken(index + 1))];
}

/** What reading one instance needs of a context. */
interface Reading extends Pick<ComputeContext, 'bindings' | 'lookInList' | 'signal'> {
  readonly api: Pick<ComputeContext['api'], 'get'>;
}

export interface SingleRead {
  readonly exchange: Exchange;
  /** False when the instance was refused, and is not among the living ones of the list any more. */
  readonly isLive: boolean;
  /** The record, where the target file says how to find it. */
  readonly single: WireRecord | undefined;
}

/**
 * Reads one instance; while that fails, looks whether it is still there, and tries again until a list that is a copy would
 * have lost it, too.
 */
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
      const listed = await t.lookInList(id);
      const lives = listed !== undefined && !dying.has(listed.status);
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

/** A single record against the list just before and just after it; not observed where one of them does not show it. */
export async function agreesInTheEnd(
  t: Reading,
  id: string,
  wait: Wait = waits.copyCatchesUp,
): Promise<Judgement> {
  const judgement = await againstList(
    t,
    id,
    async () => {
      const { exchange, single } = await readSingle(t, id);
      return single === undefined ? undefined : { exchange, single };
    },
    ({ exchange, single }, before, after) => [
      sameDescription(
        after.record,
        single,
        unmoved(describedAlike, before.record, after.record),
        exchange,
        after.exchange,
      ),
    ],
    wait,
  );
  return judgement ?? notObserved;
}

/** Some single records against the list: whose they are, and whether both describe the instance alike. */
export async function compareSingles(
  t: Reading & Pick<ComputeContext, 'api'>,
): Promise<{ readonly names: Judgement; readonly descriptions: Judgement }> {
  const [names, descriptions]: [Judgement[], Judgement[]] = [[], []];
  for (const { id, record } of await someLive(t)) {
    const { exchange, single } = await readSingle(t, id);
    if (single === undefined) continue;
    names.push(namesInstance(single, id, exchange));
    const first = sameDescription(record, single, describedAlike, exchange);
    descriptions.push(first.violations.length > 0 ? await agreesInTheEnd(t, id) : first);
  }
  return { names: together(...names), descriptions: together(...descriptions) };
}
