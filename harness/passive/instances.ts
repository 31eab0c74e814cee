/** Follows the state of each instance through the responses that show it. */

import type { InstanceState } from '../../schemas/compute/states.ts';
import type { ComputeBindings } from '../../schemas/compute/target.ts';
import {
  isBooting,
  isDying,
  isInstanceState,
  type ObservedState,
  neverComesBack,
  orderKept,
  refusedOnTerminated,
} from '../checks/compute/lifecycle.ts';
import { type MatchedOperation, operationOf } from '../checks/compute/operation.ts';
import { instancesOf, isSuccess, textOf, type WireRecord } from '../checks/compute/records.ts';
import { LAG_MS } from '../checks/compute/settling.ts';
import { jsonBody } from '../exchange/body.ts';
import { type Exchange, endOf } from '../exchange/exchange.ts';
import { readRecord } from '../target/bindings.ts';
import { type Follower, Recent, shortened, type FindingSink } from './followers.ts';

/** Maximum number of followed instances. The least recently seen is dropped. */
const MAX_INSTANCES = 5_000;
/** Bytes of an earlier response that a finding shows. */
const SHOWN_BYTES = 4 * 1024;

interface FollowedInstance {
  last: ObservedState;
  /** The response that showed the instance as TERMINATED or, without one, as TERMINATING. */
  dying: ObservedState | undefined;
}

/** Actions that a terminated instance refuses, with the name of the action and the requirement. */
const refusals: Readonly<Record<string, readonly [action: string, requirement: string]>> = {
  'stop-instance': ['stop', 'compute.stop-instance.terminated-conflict'],
  'terminate-instance': ['terminate', 'compute.terminate-instance.terminated-conflict'],
};

interface ShownState {
  readonly id: string;
  readonly state: InstanceState;
}

export class InstanceFollower implements Follower {
  readonly #bindings: ComputeBindings;
  readonly #exclusive: boolean;
  readonly #followed = new Recent<string, FollowedInstance>(MAX_INSTANCES);
  /** Instances with a request that may have started them, also late, until they are seen on their way. */
  readonly #starting = new Recent<string, Exchange>(MAX_INSTANCES);

  /** `exclusive`: every request to the instances is visible, so an instance cannot be started unseen. */
  constructor(bindings: ComputeBindings, exclusive: boolean) {
    this.#bindings = bindings;
    this.#exclusive = exclusive;
  }

  get size(): number {
    return this.#followed.size;
  }

  take(exchange: Exchange, sink: FindingSink): void {
    const matched = operationOf(exchange, this.#bindings);
    if (matched === undefined) {
      this.#unknownAct(exchange);
      return;
    }
    this.#acted(exchange, matched, sink);
    // A page with a cursor may show the state from the beginning of its walk.
    const isCurrent = !new URLSearchParams(exchange.request.query).has('cursor');
    const short = shortened(exchange, SHOWN_BYTES);
    for (const { id: seen, state } of this.#shownStates(exchange, matched)) {
      this.#observe(seen, { state, exchange: short }, isCurrent, sink);
    }
  }

  *#shownStates(exchange: Exchange, matched: MatchedOperation): Generator<ShownState> {
    if (!isSuccess(exchange)) return;
    if (matched.operation === 'list-instances') {
      for (const record of instancesOf(exchange) ?? []) yield* shownState(record, undefined);
    }
    const path = this.#bindings.getInstance?.record;
    if (matched.operation !== 'get-instance' || path === undefined) return;
    const body = jsonBody(exchange);
    const record = body.ok ? readRecord(body.value, path) : undefined;
    if (record !== undefined) yield* shownState(record, matched.id);
  }

  #observe(id: string, now: ObservedState, isCurrent: boolean, sink: FindingSink): void {
    const known = this.#followed.get(id);
    if (known === undefined) {
      this.#followed.set(id, {
        last: now,
        dying: isDying(now.state) ? now : undefined,
      });
      return;
    }
    const start = this.#starting.get(id);
    if (isCurrent) this.#compare(known, { ...now, startedSince: start !== undefined }, sink);
    const isNewer = now.exchange.startedAt >= endOf(known.last.exchange);
    const { state: before } = known.last;
    if (isNewer && isCurrent) {
      if (before !== now.state) {
        sink.transition(before, now.state);
        if (before === 'ERRORED' || now.state === 'ERRORED') {
          const note = `${before}, then ${now.state}`;
          sink.record('compute.states.errored-entry', note, now.exchange);
        }
      }
      // It may have been on its way before the start, too.
      const hasStarted = before !== now.state || (start && isApart(start, now.exchange));
      if (isBooting(now.state) && hasStarted === true) this.#starting.delete(id);
      known.last = now;
    }
    const final = known.dying?.state === 'TERMINATED';
    if (isDying(now.state) && !final && known.dying?.state !== now.state) known.dying = now;
  }

  /** Replicas may lag, so only observations that are far enough apart can contradict each other. */
  #compare(known: FollowedInstance, now: ObservedState, sink: FindingSink): void {
    const { dying, last } = known;
    if (dying !== undefined && isApart(dying.exchange, now.exchange)) {
      sink.judge(
        dying.state === 'TERMINATED'
          ? 'compute.states.terminated-stays'
          : 'compute.states.order-kept',
        neverComesBack(dying, now),
        now.exchange,
      );
      return;
    }
    if (!this.#exclusive || dying !== undefined || !isApart(last.exchange, now.exchange)) return;
    sink.judge('compute.states.order-kept', orderKept([last, now]), now.exchange);
  }

  #acted(exchange: Exchange, { operation, id }: MatchedOperation, sink: FindingSink): void {
    if (id === undefined) return;
    if (operation === 'start-instance')
      this.#starting.set(id.toLowerCase(), shortened(exchange, 0));
    const dying = this.#followed.get(id.toLowerCase())?.dying;
    const [action, requirement] = refusals[operation] ?? [];
    if (action === undefined || requirement === undefined) return;
    if (dying === undefined || endOf(dying.exchange) >= exchange.startedAt) return;
    sink.judge(requirement, refusedOnTerminated(dying, exchange, action), exchange);
  }

  /** A change request to an unknown path may be a start of the instance that it names. */
  #unknownAct(exchange: Exchange): void {
    const { method, path, body } = exchange.request;
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
    const text = `${path} ${Buffer.from(body.subarray(0, SHOWN_BYTES)).toString('latin1')}`;
    for (const [id] of text.matchAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/giu)) {
      this.#starting.set(id.toLowerCase(), shortened(exchange, 0));
    }
  }
}

function* shownState(record: WireRecord, asked: string | undefined): Generator<ShownState> {
  const id = textOf(record, 'instance_id') ?? asked;
  const state = record['status'];
  if (id !== undefined && isInstanceState(state)) yield { id: id.toLowerCase(), state };
}

function isApart(before: Exchange, now: Exchange): boolean {
  return now.startedAt > endOf(before) + LAG_MS;
}
