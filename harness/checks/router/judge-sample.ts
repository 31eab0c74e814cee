/** Runs the universal check in the unit tests of its parts. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { nothingKnown, type RouterKnowledge } from './knowledge.ts';
import { SAMPLE_ID } from './sample-exchange.ts';
import { universalRouterCheck } from './universal.ts';

/** The requirements that the universal check found held and broken. Throws when one was judged unseen. */
export function judged(exchange: Exchange, knowledge: RouterKnowledge = nothingKnown) {
  const held = new Set<RouterRequirementId>();
  const broken = new Set<RouterRequirementId>();
  for (const { requirement, judgement } of universalRouterCheck(exchange, knowledge)) {
    if (judgement.seen === 0) throw new Error(`${requirement} was judged though nothing was seen`);
    (judgement.violations.length > 0 ? broken : held).add(requirement);
  }
  return { held: [...held], broken: [...broken] };
}

export const json: readonly [string, string] = ['Content-Type', 'application/json'];
export const id: readonly [string, string] = ['X-Request-ID', SAMPLE_ID];
export const challenge: readonly [string, string] = ['WWW-Authenticate', 'Bearer realm="router"'];

/** A JSON response with a request id and these lines. */
export function withHeaders(...more: HeaderLines): HeaderLines {
  return [json, id, ...more];
}
