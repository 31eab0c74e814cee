/** Envelope: the form of errors, and the responses without an envelope. */

import { endedWith, hasStatus, outcomeText } from '../../harness/checks/router/outcome.ts';
import { bodyText } from '../../harness/exchange/body.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { UNKNOWN_MODEL } from '../../harness/drivers/router/client-routes.ts';
import { inferenceBody, inferencePaths } from '../../harness/drivers/router/api.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';

const ID = 'router.envelope';

/** Status, code and the beginning of the body, for the report. */
function shown(exchange: Exchange): string {
  const { method, path } = exchange.request;
  return `${method} ${path}: ${outcomeText(exchange)}; ${bodyText(exchange).slice(0, 200)}`;
}

/** A chat completion for an unknown model with a body of this many bytes. */
function bodyOfLength(bytes: number): string {
  const shortest = JSON.stringify(inferenceBody('chat', UNKNOWN_MODEL, { text: '' }));
  const text = 'x'.repeat(bytes - Buffer.byteLength(shortest));
  return JSON.stringify(inferenceBody('chat', UNKNOWN_MODEL, { text }));
}

/** `Accept` values that allow JSON: of SDKs, of streaming clients and of browsers. */
const acceptable = [
  'application/json',
  'text/event-stream, application/json;q=0.9',
  'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
];

export default routerSection('envelope', (test) => {
  test(
    'an error is the envelope for every client that takes JSON',
    { judges: ['router.codes.unknown-model-chat', `${ID}.object`] },
    async (t) => {
      for (const accept of acceptable) {
        const headers = [['Accept', accept]] as const;
        const exchange = await t.api.chat(UNKNOWN_MODEL, { headers, stream: true });
        t.judge('router.codes.unknown-model-chat', endedWith(exchange, ['model_not_found']));
      }
    },
  );

  test(
    'a path that no route has is not found',
    { judges: [`${ID}.unregistered-not-found`, `${ID}.unregistered-body`] },
    async (t) => {
      const path = `/v1/plumbline-${t.seed.toString(16)}`;
      for (const exchange of [await t.api.get(path), await t.api.post(path, {})]) {
        t.judge(`${ID}.unregistered-not-found`, hasStatus(exchange, 404));
        t.record(`${ID}.unregistered-body`, shown(exchange), exchange);
      }
      if (t.target.keys.admin === undefined) return;
      // Only recorded: the path is not under /v1, and the universal checks judge the request id.
      const admin = await t.api.get(path.replace('/v1/', '/admin/'), { as: 'admin' });
      t.record(`${ID}.unregistered-body`, shown(admin), admin);
    },
  );

  test(
    'the form of an administrator error is recorded',
    { judges: [`${ID}.admin-error-body`] },
    async (t) => {
      const exchange = await t.api.get('/admin/health', { as: null });
      t.record(`${ID}.admin-error-body`, shown(exchange), exchange);
    },
  );

  test(
    'the answer to a method that a path does not have is recorded',
    { judges: [`${ID}.wrong-method`] },
    async (t) => {
      for (const path of t.some(Object.values(inferencePaths))) {
        const exchange = await t.api.get(path);
        t.record(`${ID}.wrong-method`, shown(exchange), exchange);
      }
    },
  );

  test(
    'the answer to a body over the limit is recorded',
    {
      judges: [`${ID}.oversize-body`, 'router.response-headers.request-id-on-oversize'],
    },
    async (t) => {
      const limit = t.limits.maxRequestBytes ?? 0;
      if (limit === 0) throw new NotExercised('the deployment has no limit on request bodies');
      const body = bodyOfLength(limit + 1);
      const exchange = await t.api.postRaw(inferencePaths.chat, body);
      if (exchange.response?.status !== 413) {
        throw new Inconclusive(`a body over the limit gave ${outcomeText(exchange)}`);
      }
      t.record(`${ID}.oversize-body`, shown(exchange), exchange);
    },
  );
});
