/** What cannot happen to an instance that was seen TERMINATED, whoever acts on it (compute#overview/terminated-final). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { type Look, isInstanceState, mayFollow } from './lifecycle-order.ts';
import { nextCursor } from './next-cursor.ts';
import { idsOf, instancesOf, isSuccess, textOf } from './records.ts';

/** States that nobody can lead an instance back from. */
export function isDying({ state }: Pick<Look, 'state'>): boolean {
  return state === 'TERMINATING' || state === 'TERMINATED';
}

/**
 * Two looks at one instance on which others may have acted in between, unseen: only what no act brings about is
 * wrong. Says nothing unless the first look saw it being destroyed.
 */
export function neverComesBack(first: Look, then: Look): Judgement {
  if (!isDying(first)) return notObserved;
  if (mayFollow(first.state, then.state, true)) return pass();
  return violated(
    `An instance that was ${first.state} came back.`,
    {
      expected: first.state === 'TERMINATED' ? 'TERMINATED' : 'TERMINATED or ERRORED',
      actual: then.state,
    },
    then.exchange,
    first.exchange,
  );
}

/**
 * A page under status=terminated shows nothing else. TERMINATED is final: unlike other states it cannot have
 * changed between the choice of the page and its making.
 */
export function onlyTerminated(page: Exchange): Judgement {
  const records = instancesOf(page) ?? [];
  const stray = records.find(({ status }) => status !== 'TERMINATED');
  if (stray === undefined) return { seen: records.length, violations: [] };
  return violated(
    'The filter status=terminated let through what is not.',
    { expected: 'TERMINATED', actual: stray },
    page,
  );
}

/**
 * A page under a status filter does not show an instance of ours in a state from which it is still to come to the one
 * that is asked for: between the choice of the page and its making an instance moves on, and never back. A page of
 * others keeps to that; an empty one would be the same under a filter that lets nothing through.
 */
export function neverOnItsWay(page: Exchange, id: string, to: 'RUNNING' | 'STOPPED'): Judgement {
  const records = instancesOf(page);
  const shown = records?.find(
    (record) => textOf(record, 'instance_id')?.toLowerCase() === id.toLowerCase(),
  );
  if (records === undefined || records.length === 0) return notObserved;
  if (shown === undefined || shown['status'] === to) return pass();
  if (!isInstanceState(shown['status'])) return notObserved;
  if (shown['status'] === 'ERRORED' || !mayFollow(shown['status'], to, false)) return notObserved;
  return violated(
    `The filter status=${to.toLowerCase()} let through what is on its way there.`,
    { expected: to, actual: shown },
    page,
  );
}

/**
 * The newest page under a status filter shows an instance of ours that was in that state before it was read, and is still.
 * A page that is full may lack it.
 */
export function hasArrived(page: Exchange, id: string, to: 'RUNNING' | 'STOPPED'): Judgement {
  const records = instancesOf(page);
  if (records === undefined) return notObserved;
  if (idsOf(records).includes(id.toLowerCase())) return pass();
  if (nextCursor(page) !== null) return notObserved;
  return violated(
    `The filter status=${to.toLowerCase()} leaves out an instance that is ${to}.`,
    { expected: id, actual: `${records.length} other instances` },
    page,
  );
}

/** A stop or terminate of an instance that was seen TERMINATED before is refused with 409 (compute#states/terminated-terminate). */
export function refusedOnTerminated(seen: Look, call: Exchange, what: string): Judgement {
  if (seen.state !== 'TERMINATED' || !isTelling(call)) return notObserved;
  if (call.response?.status === 409) return pass();
  // Another refusal may have another reason: a bad key, a bad body.
  if (!isSuccess(call)) return notObserved;
  return violated(
    `A ${what} of a terminated instance was accepted.`,
    { expected: 409, actual: answered(call) },
    call,
    seen.exchange,
  );
}
