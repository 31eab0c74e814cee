/** What the hit counts of the scripted backend say beside an exchange. */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';

/** Whether a request that the router refuses by itself reached no engine. An exchange without response shows nothing. */
export function reachedNoEngine(exchange: Exchange, hits: number): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    hits === 0,
    'A request that the router must refuse by itself reached an engine.',
    { expected: '0 hits', actual: `${hits} hits` },
    exchange,
  );
}

/** Whether exactly `times` requests reached the engines for one request of the client. */
export function reachedEngine(exchange: Exchange, hits: number, times: number): Judgement {
  return expectThat(
    hits === times,
    'Another number of requests than expected reached the engines.',
    { expected: `${times} hits`, actual: `${hits} hits` },
    exchange,
  );
}

/** Whether one request reached the engines. One that broke off before a response may have been lost on its way to the router. */
export function reachedOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 0 && exchange.response === undefined) return notObserved;
  return reachedEngine(exchange, hits, 1);
}

/**
 * The judgement of an engine's answer, where there was one: a request that never reached the engine says nothing
 * about what becomes of its answers.
 */
export function whenReached(hits: number, judgement: () => Judgement): Judgement {
  return hits === 0 ? notObserved : judgement();
}
