/** What time it is at a deployment, as its answers tell. */

import { type Exchange, headerValue } from '../../exchange/exchange.ts';

/** A Date is cut to whole seconds: half of one is the middle of what it may have been. */
const CUT_MS = 500;

/** Milliseconds by which the clock of an answer is ahead of ours, to a second; undefined where its Date does not tell. */
export function clockAheadMs({ response, startedAt, headMs }: Exchange): number | undefined {
  const told = Date.parse(headerValue(response?.headers ?? [], 'Date') ?? '');
  if (Number.isNaN(told) || headMs === undefined) return undefined;
  return told + CUT_MS - (startedAt + headMs);
}

const DAY_MS = 86_400_000;

/** Milliseconds from a moment, in milliseconds since the epoch, to the end of its UTC day. */
export function untilMidnightMs(epochMs: number): number {
  return DAY_MS - (epochMs % DAY_MS);
}

/** Milliseconds by which the clock of a router may differ from that of its answers, or from ours where they tell none. */
const CLOCKS_MS = 60_000;

/**
 * Whether daily budgets were surely not reset between two moments of ours, in milliseconds since the epoch. The clock is
 * that of an answer, where it tells.
 */
export function isSameBudgetDay(fromMs: number, toMs: number, answer: Exchange): boolean {
  const ahead = clockAheadMs(answer) ?? 0;
  const dayOf = (ms: number): number => Math.floor((ms + ahead) / DAY_MS);
  return dayOf(fromMs - CLOCKS_MS) === dayOf(toMs + CLOCKS_MS);
}
