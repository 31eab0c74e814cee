/** Whether a router rests agents that failed: then a request may find fewer of them than another did a moment before. */

import { respond } from '../../backend/behaviours.ts';
import type { BackendControl } from '../../backend/control.ts';
import type { RouterApi } from './api.ts';
import { mayBeRested } from './rested.ts';

/** Failures in a row, more than breakers take as a rule before they rest an agent. */
const FAILURES = 24;

interface Prober {
  readonly api: Pick<RouterApi, 'chat'>;
  readonly backend: Pick<BackendControl, 'script' | 'counts'>;
  /** What the cases of a session share. */
  readonly target: object;
}

/** Whether the agents of a model are rested; undefined where none of them was ever asked. */
type Rests = boolean | undefined;

const known = new WeakMap<object, Map<string, Promise<Rests>>>();

/**
 * Sends requests whose every try fails, until one is not tried at all, or less often than one before it: health is the
 * fleet's own affair. `tries` is how often such a request was tried earlier, should agents be rested already. Where no
 * request for the model was ever tried, the first of `others` that is tells of the router; none of them, and it may rest
 * all. Asked once for each model of a session; it costs a model its agents for a while.
 */
export async function restsItsAgents(
  t: Prober,
  model: string,
  tries = 0,
  others: readonly string[] = [],
): Promise<boolean> {
  const rests = await askedOnce(t, model, tries);
  if (rests !== undefined) return rests;
  for (const other of others) {
    const alike = await askedOnce(t, other, 0);
    if (alike !== undefined) return alike;
  }
  return true;
}

async function askedOnce(t: Prober, model: string, tries: number): Promise<Rests> {
  const models = known.get(t.target) ?? new Map<string, Promise<Rests>>();
  known.set(t.target, models);
  const asked = models.get(model) ?? probe(t, model, tries);
  models.set(model, asked);
  return asked;
}

async function probe(t: Prober, model: string, tries: number): Promise<Rests> {
  let most = tries;
  for (let left = FAILURES; left > 0; left -= 1) {
    const script = await t.backend.script([
      respond(503, { error: { message: 'Scripted overload.' } }),
    ]);
    const exchange = await t.api.chat(model, { script, repeat: false });
    const { hits } = await t.backend.counts(script);
    if (hits < most) return true;
    if (hits === 0 && mayBeRested(exchange)) return undefined;
    most = Math.max(most, hits);
  }
  return false;
}
