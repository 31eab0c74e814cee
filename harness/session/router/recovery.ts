/** Whether a model serves again, and goes on serving: what a request keeps for itself is missed sooner or later. */

import { complete } from '../../backend/behaviours.ts';
import { held, type Judgement, vacuous, violated } from '../../checks/judgement.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { until } from './until.ts';

export interface Crowd {
  readonly model: string;
  /** As many requests as the model takes at once. */
  readonly places: number;
}

async function served(t: RouterContext, { model }: Crowd): Promise<Exchange> {
  const send = async () => (await provoke(t, complete(), { model })).exchange;
  return until(send, isSuccess, { signal: t.signal });
}

/** Asks until the model serves, which a leak prevents for ever. */
export async function servesAgain(t: RouterContext, crowd: Crowd): Promise<Judgement> {
  const last = await served(t, crowd);
  if (isSuccess(last)) return held();
  return violated(
    'What requests held did not come back.',
    { expected: 'a success within seconds', actual: outcomeText(last) },
    last,
  );
}

export interface Recovery {
  /** Whether the model serves again. */
  readonly back: Judgement;
  /** Whether it goes on serving after it has served as often as it has places; vacuous when it did not serve at all. */
  readonly onwards: Judgement;
}

/** Asks a model until it serves, and then as often as it has places: what each success keeps is missed in the end. */
export async function recovery(t: RouterContext, crowd: Crowd): Promise<Recovery> {
  const back = await servesAgain(t, crowd);
  if (back.violations.length > 0) return { back, onwards: vacuous };
  for (let left = crowd.places; left > 0; left -= 1) {
    const onwards = await servesAgain(t, crowd);
    if (onwards.violations.length > 0) return { back, onwards };
  }
  return { back, onwards: held(crowd.places) };
}
