/** Exchanges with a start time, and the results of followers. */

import type { Judgement } from '../checks/judgement.ts';
import { exchangeOf, type MadeExchange } from '../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Follower, FindingSink } from './followers.ts';

/** An exchange that began at a given second. */
export function atSecond(
  second: number,
  made: MadeExchange,
  change: Partial<Exchange> = {},
): Exchange {
  return { ...exchangeOf(made), startedAt: 1_000_000 + second * 1_000, ...change };
}

export interface Judged {
  /** Requirement and result: `held` or the message of the violation. */
  readonly judged: readonly (readonly [requirement: string, verdict: string])[];
  readonly notes: readonly string[];
  readonly transitions: readonly string[];
}

/** The results of a follower for exchanges, in order. */
export function judgedBy(follower: Follower, exchanges: Iterable<Exchange>): Judged {
  const judged: [string, string][] = [];
  const notes: string[] = [];
  const transitions: string[] = [];
  const sink: FindingSink = {
    judge: (requirement: string, { seen, violations }: Judgement) => {
      if (seen > 0) judged.push([requirement, violations[0]?.message ?? 'held']);
    },
    record: (_requirement: string, note: string) => {
      notes.push(note);
    },
    transition: (from: string, to: string) => {
      transitions.push(`${from}>${to}`);
    },
  };
  for (const exchange of exchanges) follower.take(exchange, sink);
  return { judged, notes, transitions };
}
