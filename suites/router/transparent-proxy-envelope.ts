/** Transparent proxy routes: errors that already are the router's envelope, and those that nearly are. */

import type { ErrorSource } from '../../schemas/router/envelope.ts';
import { codeTable, type RouterCode } from '../../schemas/router/codes.ts';
import { proxySlug } from '../../schemas/router/transparent-proxy.ts';
import { forwardedBesideRow } from '../../harness/checks/router/code-agreement.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import { keptEnvelope, wrapped } from '../../harness/checks/router/proxied-outcome.ts';
import type { Behaviour } from '../../harness/backend/behaviour.ts';
import { envelope, respond, respondText } from '../../harness/backend/behaviours.ts';
import { type Judgement, notObserved } from '../../harness/checks/judgement.ts';
import { spelledWidely } from '../../harness/generate/engine-error.ts';
import { nearEnvelopes } from '../../harness/generate/proxied-answer.ts';
import type { InferenceRoute } from '../../harness/drivers/router/api.ts';
import { proxyRouteNames, servedRoutes } from '../../harness/drivers/router/client-routes.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';

/** Codes that stop a session, so that no retry hides them, as the table has them. */
const terminal = [
  [400, 'request_invalid', 'router'],
  [400, 'context_length_exceeded', 'backend'],
  [400, 'invalid_parameter', 'backend'],
  [429, 'token_limit_exceeded', 'router'],
] as const satisfies readonly (readonly [status: number, code: RouterCode, source: ErrorSource])[];

/** Each other code, at one of the routes: a router that knows an envelope by its code may leave one out. */
const others = Object.entries(codeTable)
  .filter(([code]) => !terminal.some(([, one]) => one === code))
  .map(([code, { statuses, sources }]) => [statuses[0], code, sources[0]] as const);

/** Much text, as a trace of an engine is: an envelope with it is of some kilobytes. */
const MUCH_TEXT = 'scripted '.repeat(600);

/** The envelope as no router of ours would write it: with white space about it. */
function engineEnvelope(status: number, error: Envelope, beside: object = {}): Behaviour {
  return respondText(status, spelledWidely(JSON.stringify({ error, ...beside })));
}

/** An error that is the envelope, or has members that it does not know. */
interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly source: ErrorSource;
  readonly param?: string;
}

/** What the client gets of an engine that answers with the envelope: nothing in it is the router's own word. */
async function forwarded(
  t: RouterContext,
  route: InferenceRoute,
  status: number,
  error: Envelope,
  beside?: object,
) {
  return provoke(t, engineEnvelope(status, error, beside), {
    route,
    repeat: false,
    onScript: (script) => t.mayForwardEnvelope(script),
  });
}

/** Whether an envelope is kept also of the engine that is asked after another failed. */
async function keptOfRetry(t: RouterContext, model: string): Promise<Judgement> {
  const error = { code: 'invalid_parameter', message: 'scripted', source: 'backend' } as const;
  const { exchange, hits } = await provoke(t, [respond(500), engineEnvelope(400, error)], {
    route: 'messages',
    model,
    onScript: (script) => t.mayForwardEnvelope(script),
  });
  return hits > 1 ? keptEnvelope(exchange, error) : notObserved;
}

const routesOf = (t: RouterContext) => servedRoutes(t).filter((route) => route !== 'chat');

export default routerSection('transparent-proxy', (test) => {
  for (const [place, route] of proxyRouteNames.entries()) {
    const slug = proxySlug[route];
    const id = `router.transparent-proxy.${slug}-envelope-kept` as const;
    test(`an envelope on ${slug} is kept`, { judges: [id], requests: 15 }, async (t) => {
      for (const [status, code, source] of terminal) {
        const onScript = (script: string) => t.mayForwardEnvelope(script);
        const options = { route, onScript } as const;
        const { exchange, hits } = await provoke(t, envelope(status, code, source), options);
        t.judge(
          id,
          whenReached(hits, () => keptEnvelope(exchange, { code, source })),
        );
        t.judge(`router.codes.${code}-status`, forwardedBesideRow(exchange));
      }
      // The other source than the table has, much text, and codes that others try.
      for (const [status, code, source] of [
        [400, 'invalid_parameter', 'router'],
        [400, 'invalid_parameter', 'backend'],
        [503, 'backend_unavailable', 'backend'],
        [404, 'model_not_found', 'router'],
        [429, 'rate_limit_exceeded', 'router'],
        ...others.filter((_, at) => at % proxyRouteNames.length === place),
      ] as const) {
        const error = { code, message: MUCH_TEXT, source };
        const { exchange, hits } = await forwarded(t, route, status, error);
        t.judge(
          id,
          whenReached(hits, () => keptEnvelope(exchange, { code, source })),
        );
      }
      const { pair } = t.models;
      if (route === 'messages' && pair !== undefined) t.judge(id, await keptOfRetry(t, pair));
    });
  }

  test(
    'an envelope with further members is kept',
    { judges: ['router.transparent-proxy.envelope-with-more-kept'], requests: 8 },
    async (t) => {
      const error = { code: 'invalid_parameter', message: 'scripted', source: 'router' } as const;
      for (const route of routesOf(t)) {
        for (const [inside, beside] of [
          [{ param: 'top_p' }, {}],
          [{}, { trace: [1] }],
        ]) {
          const { exchange, hits } = await forwarded(
            t,
            route,
            400,
            { ...error, ...inside },
            beside,
          );
          t.judge(
            'router.transparent-proxy.envelope-with-more-kept',
            whenReached(hits, () => keptEnvelope(exchange, error)),
          );
        }
      }
    },
  );

  test(
    'an envelope is kept whatever its engine calls it',
    { judges: ['router.transparent-proxy.envelope-whatever-its-label'] },
    async (t) => {
      const error = { code: 'invalid_parameter', message: 'scripted', source: 'router' } as const;
      const headers: [string, string][] = [['Content-Type', 'text/plain']];
      const answer = respondText(400, JSON.stringify({ error }), { headers });
      const { exchange, hits } = await provoke(t, answer, {
        route: 'messages',
        onScript: (script) => t.mayForwardEnvelope(script),
      });
      t.judge(
        'router.transparent-proxy.envelope-whatever-its-label',
        whenReached(hits, () => keptEnvelope(exchange, error)),
      );
    },
  );

  test(
    'the status of an error whose envelope was kept is recorded',
    { judges: ['router.transparent-proxy.envelope-kept-status'] },
    async (t) => {
      for (const status of [400, 422, 500]) {
        const error = {
          code: 'invalid_parameter',
          message: 'scripted',
          source: 'backend',
        } as const;
        const { exchange } = await forwarded(t, 'messages', status, error);
        t.record(
          'router.transparent-proxy.envelope-kept-status',
          `${status}: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );

  test(
    'what is nearly the envelope is wrapped',
    { judges: ['router.transparent-proxy.near-envelope-wrapped'], requests: 15 },
    async (t) => {
      for (const body of nearEnvelopes) {
        const { exchange, hits } = await provoke(t, respondText(400, body), { route: 'messages' });
        t.judge(
          'router.transparent-proxy.near-envelope-wrapped',
          whenReached(hits, () => wrapped(exchange)),
        );
      }
    },
  );
});
