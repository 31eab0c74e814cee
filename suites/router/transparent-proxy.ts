/** Transparent proxy routes: successes untouched, foreign errors wrapped and never classified, envelopes kept. */

import { boolean, tuple } from 'fast-check';
import { proxySlug } from '../../schemas/router/transparent-proxy.ts';
import {
  complete,
  envelope,
  events,
  respond,
  respondBytes,
  respondText,
} from '../../harness/backend/behaviour.ts';
import { encodeEvents } from '../../harness/backend/engine/reply.ts';

import { forwardedBesideRow } from '../../harness/checks/router/code-agreement.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { envelopeOf } from '../../harness/checks/router/envelope.ts';
import { hasMediaType, outcomeText } from '../../harness/checks/router/outcome.ts';
import {
  arrivedUntouched,
  beganUntouched,
  keptEnvelope,
  keptOfRetry,
  passedUntouched,
  unclassified,
  wrapped,
} from '../../harness/checks/router/proxied.ts';
import { inferenceBody, inferencePaths } from '../../harness/drivers/router/api.ts';
import { proxyRouteNames, servedProxyRoutes } from '../../harness/drivers/router/client-routes.ts';
import {
  afterEnvelope,
  judgedAnswer,
  provoke,
  scriptedModel,
} from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import {
  awkwardCuts,
  cutsIn,
  cutStream,
  longPieces,
  messageEvents,
} from '../../harness/generate/streams.ts';
import {
  classifiableError,
  foreignError,
  foreignStatuses,
  largeSuccess,
  nearEnvelopes,
  noJson,
  noText,
  oddSpellings,
  othersOfTable,
  successBody,
  terminalEnvelopes,
  writtenByEngine,
} from '../../harness/generate/answers.ts';

/** Milliseconds between pieces, so that they do not travel together. */
const APART_MS = 5;
const onMessages = { route: 'messages' } as const;
const asStream = { ...onMessages, stream: true } as const;

/** What an engine says in errors of which little is known. */
const SAID = 'the engine has lost its way';

const error = { code: 'invalid_parameter', message: 'scripted', source: 'router' } as const;
const answerOf = (text: string | Uint8Array, status = 200) => ({ status, body: Buffer.from(text) });

export default routerSection('transparent-proxy', (test) => {
  for (const [place, route] of proxyRouteNames.entries()) {
    const slug = proxySlug[route];

    const untouched = `router.transparent-proxy.${slug}-success-untouched` as const;
    test(`a success on ${slug} is untouched`, { judges: [untouched], requests: 18 }, async (t) => {
      const passes = async (text: string) =>
        judgedAnswer(t, respondText(200, text), { route }, (exchange) =>
          passedUntouched(exchange, answerOf(text)),
        );
      for (const text of [...oddSpellings, ...noJson, largeSuccess]) {
        t.judge(untouched, await passes(text));
      }
      const bytes = await judgedAnswer(t, respondBytes(200, noText), { route }, (exchange) =>
        passedUntouched(exchange, answerOf(noText)),
      );
      t.judge(untouched, bytes);
      await t.property(
        `successes on ${slug}`,
        successBody,
        async (text, judge) => judge(untouched, await passes(text)),
        { weight: 0.25 },
      );
    });

    const raw = `router.transparent-proxy.${slug}-error-unclassified` as const;
    test(`an error on ${slug} is not classified`, { judges: [raw], requests: 10 }, async (t) => {
      await t.property(
        `classifiable errors on ${slug}`,
        classifiableError,
        async ({ status, body }, judge) =>
          judge(raw, await judgedAnswer(t, respondText(status, body), { route }, unclassified)),
        { weight: 0.5 },
      );
    });

    const foreign = `router.transparent-proxy.${slug}-error-wrapped` as const;
    test(
      `a foreign error on ${slug} is wrapped`,
      { judges: [foreign], requests: 15 },
      async (t) => {
        // A 429 is never waited out: it may be the very mistake. An error before a stream is wrapped like any other.
        const once = { route, repeat: false } as const;
        await t.property(
          `foreign errors on ${slug}`,
          tuple(foreignError, boolean()),
          async ([{ status, body }, streamed], judge) => {
            const options = { ...once, stream: route === 'messages' && streamed };
            judge(foreign, await judgedAnswer(t, respondText(status, body), options, wrapped));
          },
          { weight: 0.5 },
        );
        // Last, since each costs a while where agents rest that failed.
        for (const status of foreignStatuses) {
          t.judge(foreign, await judgedAnswer(t, respondText(status, ''), once, wrapped));
        }
      },
    );

    const kept = `router.transparent-proxy.${slug}-envelope-kept` as const;
    test(`an envelope on ${slug} is kept`, { judges: [kept], requests: 15 }, async (t) => {
      for (const [status, code, source] of terminalEnvelopes) {
        const { exchange, hits } = await afterEnvelope(t, envelope(status, code, source), route);
        t.judge(
          kept,
          whenReached(hits, () => keptEnvelope(exchange, { code, source })),
        );
        t.judge(`router.codes.${code}-status`, forwardedBesideRow(exchange));
      }
      for (const [status, sent] of othersOfTable(place, proxyRouteNames.length)) {
        const answer = writtenByEngine(status, { error: sent });
        const { exchange, hits } = await afterEnvelope(t, answer, route);
        t.judge(
          kept,
          whenReached(hits, () => keptEnvelope(exchange, sent)),
        );
      }
    });
  }

  test(
    'an envelope is kept also of the engine that is asked after another failed',
    { judges: ['router.transparent-proxy.messages-envelope-kept'], needs: ['models.pair'] },
    async (t) => {
      const answers = [respond(500), writtenByEngine(400, { error })] as const;
      const { exchange, hits } = await afterEnvelope(t, answers, 'messages', t.models.pair);
      const id = 'router.transparent-proxy.messages-envelope-kept';
      t.judge(id, keptOfRetry(exchange, hits, error));
    },
  );

  test(
    'an envelope with further members is kept',
    { judges: ['router.transparent-proxy.envelope-with-more-kept'], requests: 8 },
    async (t) => {
      for (const route of servedProxyRoutes(t)) {
        for (const body of [{ error: { ...error, param: 'top_p' } }, { error, trace: [1] }]) {
          const { exchange, hits } = await afterEnvelope(t, writtenByEngine(400, body), route);
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
      const headers: [string, string][] = [['Content-Type', 'text/plain']];
      const answer = respondText(400, JSON.stringify({ error }), { headers });
      const { exchange, hits } = await afterEnvelope(t, answer, 'messages');
      t.judge(
        'router.transparent-proxy.envelope-whatever-its-label',
        whenReached(hits, () => keptEnvelope(exchange, error)),
      );
    },
  );

  test(
    'what is nearly the envelope is wrapped',
    { judges: ['router.transparent-proxy.near-envelope-wrapped'], requests: 15 },
    async (t) => {
      for (const body of nearEnvelopes) {
        t.judge(
          'router.transparent-proxy.near-envelope-wrapped',
          await judgedAnswer(t, respondText(400, body), onMessages, wrapped),
        );
      }
    },
  );

  test(
    'a request reaches the engine with its bytes',
    { judges: ['router.transparent-proxy.request-untouched'], requests: 4 },
    async (t) => {
      for (const route of servedProxyRoutes(t)) {
        const script = await t.backend.script([complete()]);
        const extra = { metadata: { note: 'as it was sent' } };
        const body = inferenceBody(route, scriptedModel(t, route), { script, extra });
        const text = `\n${JSON.stringify(body, undefined, 3)}\n`;
        const exchange = await t.api.postRaw(inferencePaths[route], text);
        t.judge(
          'router.transparent-proxy.request-untouched',
          arrivedUntouched(exchange, await t.backend.hits(script)),
        );
      }
    },
  );

  test(
    'another success status than 200 is kept, and so is the content type',
    {
      judges: [
        'router.transparent-proxy.other-success-status',
        'router.transparent-proxy.success-content-type',
      ],
    },
    async (t) => {
      for (const route of servedProxyRoutes(t)) {
        for (const status of [201, 202, 203]) {
          const body = JSON.stringify({ id: 'scripted', status });
          const judgement = await judgedAnswer(
            t,
            respondText(status, body),
            { route },
            (exchange) => passedUntouched(exchange, answerOf(body, status)),
          );
          t.judge('router.transparent-proxy.other-success-status', judgement);
        }
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
          const answer = events(list, { lineEnding, splitAt: [...cutsIn(body.length, cuts)] });
          const judgement = await judgedAnswer(t, answer, asStream, (exchange) =>
            passedUntouched(exchange, answerOf(body)),
          );
          judge('router.transparent-proxy.stream-untouched', judgement);
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'a stream on messages is untouched when it is long, and when its characters come in pieces',
    { judges: ['router.transparent-proxy.stream-untouched'] },
    async (t) => {
      const awkward = messageEvents(['ß', '界🚀']);
      const { body } = encodeEvents(awkward, 'crlf');
      const inPieces = { splitAt: [...awkwardCuts(body)], delayChunkMs: APART_MS };
      const long = messageEvents(longPieces);
      for (const [answer, bytes] of [
        [events(awkward, { lineEnding: 'crlf', ...inPieces }), body],
        [events(long), encodeEvents(long).body],
      ] as const) {
        const judgement = await judgedAnswer(t, answer, asStream, (exchange) =>
          passedUntouched(exchange, answerOf(bytes)),
        );
        t.judge('router.transparent-proxy.stream-untouched', judgement);
      }
    },
  );

  test(
    'a stream on messages that breaks off shows the beginning of its bytes and nothing else',
    { judges: ['router.transparent-proxy.stream-untouched'] },
    async (t) => {
      const list = messageEvents(['one', ' two', ' three']);
      const { body } = encodeEvents(list);
      for (const at of [{ afterEvents: 2 }, { insideEvent: 2 }] as const) {
        const { exchange } = await provoke(
          t,
          events(list, { drop: { at, how: 'close' } }),
          asStream,
        );
        t.judge('router.transparent-proxy.stream-untouched', beganUntouched(exchange, body));
      }
    },
  );

  test(
    'how errors come out where it is open is recorded',
    {
      judges: [
        'router.transparent-proxy.final-codes',
        'router.transparent-proxy.wrapped-message',
        'router.transparent-proxy.envelope-kept-status',
      ],
    },
    async (t) => {
      for (const status of [400, 422, 429, 500, 503]) {
        const options = { ...onMessages, repeat: false };
        const { exchange } = await provoke(t, respondText(status, SAID), options);
        const holds = envelopeOf(exchange)?.message.includes(SAID) === true;
        const message = `${status}: ${holds ? 'holds' : 'leaves out'} what the engine said`;
        const outcome = `${status}: ${outcomeText(exchange)}`;
        t.record('router.transparent-proxy.final-codes', outcome, exchange);
        t.record('router.transparent-proxy.wrapped-message', message, exchange);
      }
      for (const status of [400, 422, 500]) {
        const answer = writtenByEngine(status, { error: { ...error, source: 'backend' } });
        const { exchange } = await afterEnvelope(t, answer, 'messages');
        const outcome = `${status}: ${outcomeText(exchange)}`;
        t.record('router.transparent-proxy.envelope-kept-status', outcome, exchange);
      }
    },
  );
});
