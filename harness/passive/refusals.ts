/** Follows the refusals of a router: those of missing and of false keys look the same. */

import { refusedBare, isBare } from '../checks/no-credential.ts';
import { envelopeOf } from '../checks/router/envelope.ts';
import { familyOf, routeOf } from '../checks/router/route.ts';
import { sameRefusal } from '../checks/router/same-refusal.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { headerValue } from '../exchange/headers.ts';
import type { Follower, Tell } from './follower.ts';

const bareRequirements = {
  models: 'router.authentication.missing-on-models',
  native: 'router.authentication.missing-on-chat',
  proxy: 'router.authentication.missing-on-proxy',
  admin: 'router.authentication.missing-on-admin',
} as const;

/** Bytes of a refusal that is held for comparison. */
const MAX_BYTES = 16 * 1024;

export class RefusalFollower implements Follower {
  /** The first refusal of each kind, by route. */
  readonly #first = new Map<string, Exchange>();

  take(exchange: Exchange, tell: Tell): void {
    const family = familyOf(exchange);
    const route = routeOf(exchange);
    if (family === undefined || route === undefined) return;
    tell.judge(bareRequirements[family], refusedBare(exchange), exchange);
    if (family === 'admin' || exchange.response?.status !== 401) return;
    // A refusal that an engine made, or a proxy in front, is not the router's word.
    if (exchange.ending !== 'complete' || envelopeOf(exchange)?.source !== 'router') return;
    const kind = isBare(exchange) ? 'missing' : 'false';
    if (kind === 'false' && headerValue(exchange.request.headers, 'authorization') === undefined) {
      return;
    }
    const other = this.#first.get(`${route} ${kind === 'missing' ? 'false' : 'missing'}`);
    const own = `${route} ${kind}`;
    if (!this.#first.has(own) && exchange.response.body.length <= MAX_BYTES) {
      this.#first.set(own, exchange);
    }
    if (other === undefined) return;
    const likeness = sameRefusal([other], exchange);
    tell.judge('router.authentication.refusal-same-status', likeness.status, exchange);
    tell.judge('router.authentication.refusal-same-body', likeness.body, exchange);
    tell.judge('router.authentication.refusal-same-challenge', likeness.challenge, exchange);
  }
}
