/** Limits: the size of request bodies. */

import { codeOf } from '../../harness/checks/router/envelope.ts';
import {
  notTooLarge,
  outcomeText,
  refusedAsTooLarge,
} from '../../harness/checks/router/outcome.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { unknownIdOf } from '../../harness/generate/ids.ts';
import {
  type InferenceOptions,
  inferencePaths,
  type InferenceRoute,
} from '../../harness/drivers/router/api.ts';
import { proxyRouteNames, requireReached } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { complete } from '../../harness/backend/behaviour.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { chunked, inPieces, sizedBody, wideBody } from '../../harness/drivers/router/bodies.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { retry } from '../../harness/runner/retry.ts';

/** Bytes of the default limit, by which a router without a limit is known. */
const DEFAULT_LIMIT = 10_485_760;
/** Bytes that we are ready to send in one request. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes that every request needs for itself. */
const MIN_BYTES = 1_024;

/** The limit, when it is one that can be reached. Throws `NotExercised` otherwise. */
function limitOf(t: RouterContext): number {
  const limit = t.limits.maxRequestBytes ?? 0;
  if (limit === 0) throw new NotExercised('the router takes bodies of any size');
  if (limit < MIN_BYTES || limit > MAX_BYTES) {
    throw new NotExercised(
      `a limit of ${limit} bytes is not between ${MIN_BYTES} and ${MAX_BYTES}`,
      'limits: { maxRequestBytes: 10485760 }',
    );
  }
  return limit;
}

/** A model that nobody registers: a body that comes in ends there and costs no engine. */
const nobody = unknownIdOf(40);

interface Sized extends InferenceOptions {
  readonly chunked?: boolean;
  /** Whether it is made of characters of two bytes. */
  readonly wide?: boolean;
  readonly model?: string;
}

/**
 * Posts a body of exactly `bytes` bytes. A server may answer before all was sent, so it goes over a socket of its own;
 * when it then resets the connection the answer may be lost, and is asked for again. So it is where the request was one
 * too many: whether that is looked at before the size is open.
 */
async function post(t: RouterContext, bytes: number, route: InferenceRoute, options: Sized = {}) {
  return retry(
    t,
    'bucketOfOthers',
    async () => postOnce(t, bytes, route, options),
    (exchange) => exchange.response !== undefined && codeOf(exchange) !== 'rate_limit_exceeded',
  );
}

async function postOnce(t: RouterContext, bytes: number, route: InferenceRoute, options: Sized) {
  const bodyOf = options.wide === true ? wideBody : sizedBody;
  const body = bodyOf(bytes, route, options.model ?? nobody, options);
  const framing =
    options.chunked === true ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(bytes)];
  return t.api.sendBytes({
    method: 'POST',
    path: inferencePaths[route],
    as: options.as === undefined ? 'client' : options.as,
    headers: [
      ['Content-Type', 'application/json'],
      [framing[0] ?? '', framing[1] ?? ''],
    ],
    pieces: options.chunked === true ? chunked(body) : inPieces(body),
  });
}

export default routerSection('limits', (test) => {
  test(
    'a body of exactly the limit comes in, one byte more does not',
    {
      judges: [
        'router.limits.body-at-limit',
        'router.limits.body-over-limit',
        'router.limits.body-over-limit-chunked',
      ],
    },
    async (t) => {
      const limit = limitOf(t);
      t.judge('router.limits.body-at-limit', notTooLarge(await post(t, limit, 'chat')));
      t.judge(
        'router.limits.body-at-limit',
        notTooLarge(await post(t, limit, 'chat', { chunked: true })),
      );
      t.judge('router.limits.body-over-limit', refusedAsTooLarge(await post(t, limit + 1, 'chat')));
      t.judge(
        'router.limits.body-over-limit-chunked',
        refusedAsTooLarge(await post(t, limit + 1, 'chat', { chunked: true })),
      );
    },
  );

  test(
    'a body of fewer characters than the limit has bytes is refused when it has more bytes',
    { judges: ['router.limits.body-over-limit', 'router.limits.body-over-limit-chunked'] },
    async (t) => {
      const limit = limitOf(t);
      const wide = await post(t, limit + 1, 'chat', { wide: true });
      t.judge('router.limits.body-over-limit', refusedAsTooLarge(wide));
      const unsized = await post(t, limit + 1, 'chat', { wide: true, chunked: true });
      t.judge('router.limits.body-over-limit-chunked', refusedAsTooLarge(unsized));
    },
  );

  test(
    'one byte over the limit is refused on each proxy route, a body of exactly the limit is not',
    {
      judges: ['router.limits.body-over-limit-proxy', 'router.limits.body-at-limit'],
      requests: 7,
    },
    async (t) => {
      const limit = limitOf(t);
      for (const route of proxyRouteNames) {
        const exchange = await post(t, limit + 1, route);
        t.judge('router.limits.body-over-limit-proxy', refusedAsTooLarge(exchange));
      }
      for (const route of ['messages', 'rerank'] as const) {
        const unsized = await post(t, limit + 1, route, { chunked: true });
        t.judge('router.limits.body-over-limit-proxy', refusedAsTooLarge(unsized));
      }
      const allowed = await post(t, limit, 'messages');
      t.judge('router.limits.body-at-limit', notTooLarge(allowed));
    },
  );

  test(
    'a body over the limit reaches no engine',
    { judges: ['router.limits.body-over-limit-reaches-no-engine'] },
    async (t) => {
      const limit = limitOf(t);
      const model = requireFixture(t, 'chat');
      for (const transfer of [{}, { chunked: true }]) {
        const script = await t.backend.script([complete()]);
        const exchange = await post(t, limit + 1, 'chat', { ...transfer, model, script });
        const hits = await hitsOfRefused(t, script);
        await requireReached(t, 'chat', { script });
        t.judge('router.limits.body-over-limit-reaches-no-engine', reachedNoEngine(exchange, hits));
      }
    },
  );

  test(
    'without a limit a body over the default limit comes in',
    { judges: ['router.limits.body-limit-disabled'] },
    async (t) => {
      if (t.limits.maxRequestBytes !== 0) {
        throw new NotExercised(
          'the router has a limit on bodies; this is for one without',
          'limits: { maxRequestBytes: 0 }',
        );
      }
      const exchange = await post(t, DEFAULT_LIMIT + 1, 'chat');
      t.judge('router.limits.body-limit-disabled', notTooLarge(exchange));
    },
  );

  test(
    'an oversize body without credentials',
    { judges: ['router.limits.oversize-order'], aside: true },
    async (t) => {
      const exchange = await post(t, limitOf(t) + 1, 'chat', { as: null });
      t.record('router.limits.oversize-order', outcomeText(exchange), exchange);
    },
  );
});
