/** Judges recorded or proxied exchanges with a router. */

import { History } from '../checks/universal.ts';
import { isBare, refusedBare } from '../checks/clients.ts';
import { envelopeOf } from '../checks/router/envelope.ts';
import { familyOf, nothingKnown, routeOf } from '../checks/router/route.ts';
import { sameRefusal } from '../checks/router/credentials.ts';
import { type Exchange, headerValue } from '../exchange/exchange.ts';
import type { Follower, FindingSink } from './followers.ts';
import type { RouterTarget } from '../../schemas/router/target.ts';
import { routerRequestIdFresh } from '../checks/router/headers.ts';
import { routerUniversal, universalRouterCheck } from '../checks/router/universal.ts';
import type { JudgeOptions, TrafficJudgement, TrafficModule } from './followers.ts';

const bareRequirements = {
  models: 'router.authentication.missing-on-models',
  native: 'router.authentication.missing-on-chat',
  proxy: 'router.authentication.missing-on-proxy',
  admin: 'router.authentication.missing-on-admin',
} as const;

/** Maximum bytes of a refusal that is kept for comparison. */
const MAX_BYTES = 16 * 1024;

class RefusalFollower implements Follower {
  /** The first refusal of each kind, by route. */
  readonly #first = new Map<string, Exchange>();

  take(exchange: Exchange, sink: FindingSink): void {
    const family = familyOf(exchange);
    const route = routeOf(exchange);
    if (family === undefined || route === undefined) return;
    sink.judge(bareRequirements[family], refusedBare(exchange), exchange);
    if (family === 'admin' || exchange.response?.status !== 401) return;
    // An engine or a reverse proxy may also refuse with 401. Only the router's own refusals count.
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
    sink.judge('router.authentication.refusal-same-status', likeness.status, exchange);
    sink.judge('router.authentication.refusal-same-body', likeness.body, exchange);
    sink.judge('router.authentication.refusal-same-challenge', likeness.challenge, exchange);
  }
}

/** Maximum number of request ids that are remembered to detect repeats. */
const MAX_IDS = 100_000;

export const routerTraffic: TrafficModule<RouterTarget> = {
  universal: () => (exchange) => universalRouterCheck(exchange, nothingKnown),
  judge,
};

function judge(target: RouterTarget, { source }: JudgeOptions): TrafficJudgement {
  const history = new History([routerRequestIdFresh], (exchange) => exchange, MAX_IDS);
  const universal = routerUniversal({ target, mayBeForwarded: isPerhapsForwarded });
  return {
    operation: routeOf,
    covers: ({ request: { path } }) => /^\/(?:v1|admin)\//u.test(path),
    *alone(exchange) {
      yield* universal(exchange);
      yield* history.judge(exchange);
    },
    // A recording may lack the credentials, so that a request only seems to have none.
    followers: () => ({
      all: source === 'proxy' ? [new RefusalFollower()] : [],
      following: () => ({ instances: 0, cursors: 0 }),
    }),
  };
}

/** On proxy routes an engine's envelope looks like the router's own, except for an unauthorized refusal. */
function isPerhapsForwarded(exchange: Exchange): boolean {
  if (familyOf(exchange) !== 'proxy') return false;
  const code = envelopeOf(exchange)?.code;
  return code !== undefined && !(code === 'unauthorized' && exchange.response?.status === 401);
}
