/** Transparent proxy routes: successes untouched, foreign errors wrapped and never classified. */

import { boolean, tuple } from 'fast-check';
import { proxySlug } from '../../schemas/router/transparent-proxy.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { envelopeOf } from '../../harness/checks/router/envelope.ts';
import { arrivedUntouched } from '../../harness/checks/router/forwarded.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import {
  beganUntouched,
  passedUntouched,
  unclassified,
  wrapped,
} from '../../harness/checks/router/proxied-outcome.ts';
import { hasMediaType } from '../../harness/checks/router/success.ts';
import { complete, events, respondBytes, respondText } from '../../harness/backend/behaviours.ts';
import { encodeEvents } from '../../harness/backend/sse.ts';
import {
  awkwardCuts,
  cutStream,
  cutsIn,
  longPieces,
  messageEvents,
} from '../../harness/generate/chat-chunks.ts';
import {
  classifiableError,
  foreignError,
  largeSuccess,
  noJson,
  noText,
  oddSpellings,
  successBody,
} from '../../harness/generate/proxied-answer.ts';
import { proxyRouteNames, servedRoutes } from '../../harness/drivers/router/client-routes.ts';
import { inferenceBody, inferencePaths } from '../../harness/drivers/router/api.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';

/** Statuses that the chat route reads in a way of their own, and those that a router may take for its own. */
const TELLING = [300, 400, 401, 403, 404, 408, 413, 418, 422, 429, 500, 503, 504];

/** Statuses of success with which an engine may answer as well. */
const OTHER_SUCCESSES = [201, 202, 203];

/** Milliseconds between pieces, so that they do not travel together. */
const APART_MS = 5;

/** The proxied routes for which the target file names a model. */
const routesOf = (t: RouterContext) => servedRoutes(t).filter((route) => route !== 'chat');

/** What engines say in errors of which little is known. */
const SAID = 'the engine has lost its way';

export default routerSection('transparent-proxy', (test) => {
  for (const route of proxyRouteNames) {
    const slug = proxySlug[route];

    const untouched = `router.transparent-proxy.${slug}-success-untouched` as const;
    test(`a success on ${slug} is untouched`, { judges: [untouched], requests: 18 }, async (t) => {
      const judged = async (text: string) => {
        const { exchange, hits } = await provoke(t, respondText(200, text), { route });
        const answer = { status: 200, body: Buffer.from(text) };
        return whenReached(hits, () => passedUntouched(exchange, answer));
      };
      for (const text of [...oddSpellings, ...noJson, largeSuccess])
        t.judge(untouched, await judged(text));
      const { exchange, hits } = await provoke(t, respondBytes(200, noText), { route });
      t.judge(
        untouched,
        whenReached(hits, () => passedUntouched(exchange, { status: 200, body: noText })),
      );
      await t.property(
        `successes on ${slug}`,
        successBody,
        async (text, judge) => judge(untouched, await judged(text)),
        { weight: 0.25 },
      );
    });

    const raw = `router.transparent-proxy.${slug}-error-unclassified` as const;
    test(`an error on ${slug} is not classified`, { judges: [raw], requests: 10 }, async (t) => {
      await t.property(
        `classifiable errors on ${slug}`,
        classifiableError,
        async ({ status, body }, judge) => {
          const { exchange, hits } = await provoke(t, respondText(status, body), { route });
          judge(
            raw,
            whenReached(hits, () => unclassified(exchange)),
          );
        },
        { weight: 0.5 },
      );
    });

    const foreign = `router.transparent-proxy.${slug}-error-wrapped` as const;
    test(
      `a foreign error on ${slug} is wrapped`,
      { judges: [foreign], requests: 15 },
      async (t) => {
        await t.property(
          `foreign errors on ${slug}`,
          tuple(foreignError, boolean()),
          async ([{ status, body }, streamed], judge) => {
            // A 429 is never waited out: it may be the very mistake. An error before a stream is wrapped like any other.
            const stream = route === 'messages' && streamed;
            const options = { route, repeat: false, stream };
            const { exchange, hits } = await provoke(t, respondText(status, body), options);
            judge(
              foreign,
              whenReached(hits, () => wrapped(exchange)),
            );
          },
          { weight: 0.5 },
        );
        // Last, since each costs a while where agents rest that failed.
        for (const status of TELLING) {
          const { exchange, hits } = await provoke(t, respondText(status, ''), {
            route,
            repeat: false,
          });
          t.judge(
            foreign,
            whenReached(hits, () => wrapped(exchange)),
          );
        }
      },
    );
  }

  test(
    'a request reaches the engine with its bytes',
    { judges: ['router.transparent-proxy.request-untouched'], requests: 4 },
    async (t) => {
      for (const route of routesOf(t)) {
        const script = await t.backend.script([complete()]);
        const model = scriptedModel(t, route);
        const extra = { metadata: { note: 'as it was sent' } };
        const body = JSON.stringify(inferenceBody(route, model, { script, extra }), undefined, 3);
        const exchange = await t.api.postRaw(inferencePaths[route], `\n${body}\n`);
        t.judge(
          'router.transparent-proxy.request-untouched',
          arrivedUntouched(exchange, await t.backend.hits(script)),
        );
      }
    },
  );

  test(
    'another success status than 200 is kept',
    { judges: ['router.transparent-proxy.other-success-status'] },
    async (t) => {
      for (const [status, route] of routesOf(t).flatMap((one) =>
        OTHER_SUCCESSES.map((success) => [success, one] as const),
      )) {
        const body = JSON.stringify({ id: 'scripted', status });
        const { exchange, hits } = await provoke(t, respondText(status, body), { route });
        t.judge(
          'router.transparent-proxy.other-success-status',
          whenReached(hits, () => passedUntouched(exchange, { status, body: Buffer.from(body) })),
        );
      }
    },
  );

  test(
    'the content type of a success is that of the engine',
    { judges: ['router.transparent-proxy.success-content-type'] },
    async (t) => {
      for (const route of routesOf(t)) {
        for (const type of ['application/json', 'application/vnd.plumbline+json']) {
          const headers: [string, string][] = [['Content-Type', type]];
          const behaviour = respondText(200, '{"id":"scripted"}', { headers });
          const { exchange } = await provoke(t, behaviour, { route });
          t.judge('router.transparent-proxy.success-content-type', hasMediaType(exchange, type));
        }
      }
    },
  );

  test(
    'a stream on messages is untouched wherever the engine cuts it',
    { judges: ['router.transparent-proxy.stream-untouched'], requests: 10 },
    async (t) => {
      await t.property(
        'streams on messages',
        cutStream,
        async ({ pieces, lineEnding, cuts }, judge) => {
          const list = messageEvents(pieces);
          const { body } = encodeEvents(list, lineEnding);
          const splitAt = [...cutsIn(body.length, cuts)];
          const { exchange, hits } = await provoke(t, events(list, { lineEnding, splitAt }), {
            route: 'messages',
            stream: true,
          });
          judge(
            'router.transparent-proxy.stream-untouched',
            whenReached(hits, () => passedUntouched(exchange, { status: 200, body })),
          );
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'a stream on messages is untouched when its characters come in pieces',
    { judges: ['router.transparent-proxy.stream-untouched'] },
    async (t) => {
      const list = messageEvents(['ß', '界🚀']);
      const { body } = encodeEvents(list, 'crlf');
      const splitAt = [...awkwardCuts(body)];
      const behaviour = events(list, { lineEnding: 'crlf', splitAt, delayChunkMs: APART_MS });
      const { exchange, hits } = await provoke(t, behaviour, { route: 'messages', stream: true });
      t.judge(
        'router.transparent-proxy.stream-untouched',
        whenReached(hits, () => passedUntouched(exchange, { status: 200, body })),
      );
    },
  );

  test(
    'a long stream on messages is untouched',
    { judges: ['router.transparent-proxy.stream-untouched'] },
    async (t) => {
      const list = messageEvents(longPieces);
      const { body } = encodeEvents(list);
      const options = { route: 'messages', stream: true } as const;
      const { exchange, hits } = await provoke(t, events(list), options);
      t.judge(
        'router.transparent-proxy.stream-untouched',
        whenReached(hits, () => passedUntouched(exchange, { status: 200, body })),
      );
    },
  );

  test(
    'a stream on messages that breaks off shows the beginning of its bytes and nothing else',
    { judges: ['router.transparent-proxy.stream-untouched'] },
    async (t) => {
      const list = messageEvents(['one', ' two', ' three']);
      const { body } = encodeEvents(list);
      for (const at of [{ afterEvents: 2 }, { insideEvent: 2 }] as const) {
        const behaviour = events(list, { drop: { at, how: 'close' } });
        const { exchange } = await provoke(t, behaviour, { route: 'messages', stream: true });
        t.judge('router.transparent-proxy.stream-untouched', beganUntouched(exchange, body));
      }
    },
  );

  test(
    'the final codes of foreign errors are recorded',
    {
      judges: ['router.transparent-proxy.final-codes', 'router.transparent-proxy.wrapped-message'],
    },
    async (t) => {
      for (const status of [400, 422, 429, 500, 503]) {
        const options = { route: 'messages', repeat: false } as const;
        const { exchange } = await provoke(t, respondText(status, SAID), options);
        t.record(
          'router.transparent-proxy.final-codes',
          `${status}: ${outcomeText(exchange)}`,
          exchange,
        );
        const says = envelopeOf(exchange)?.message.includes(SAID) === true ? 'holds' : 'leaves out';
        t.record(
          'router.transparent-proxy.wrapped-message',
          `${status}: ${says} what the engine said`,
          exchange,
        );
      }
    },
  );
});
