/** Transparent proxy routes: successes are unchanged, foreign errors are wrapped and not classified, envelopes are kept. */

import { boolean, tuple } from 'fast-check';
import type { ProxyRoute } from '../../schemas/router/endpoints.ts';
import { proxySlug } from '../../schemas/router/transparent-proxy.ts';
import {
  type Behaviour,
  complete,
  envelope,
  inTwoChunks,
  respond,
  respondBytes,
  respondText,
} from '../../harness/backend/behaviour.ts';
import { forwardedBesideRow, envelopeOf } from '../../harness/checks/router/envelope.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { hasMediaType, outcomeText } from '../../harness/checks/router/outcome.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  arrivedUntouched,
  beganUntouched,
  keptEnvelope,
  unclassified,
  wrapped,
} from '../../harness/checks/router/proxied.ts';
import { inferenceBody, inferencePaths } from '../../harness/drivers/router/api.ts';
import {
  proxyRouteNames,
  servedProxyRoutes,
  spreadOver,
} from '../../harness/drivers/router/client-routes.ts';
import {
  judgedAnswer,
  provoke,
  scriptedModel,
  forwarding,
  keeps,
  passes,
  unlessExplained,
} from '../../harness/drivers/router/provoke.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { onceServed } from '../../harness/drivers/router/ejection.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import {
  cutsIn,
  cutStream,
  inAwkwardPieces,
  longPieces,
  messageEvents,
  wideCharacters,
  writtenStream,
} from '../../harness/generate/streams.ts';
import {
  classifiableError,
  errorsOfService,
  foreignError,
  foreignOfAnySize,
  foreignStatuses,
  largeSuccess,
  nearEnvelopes,
  noJson,
  noText,
  oddSpellings,
  othersOfTable,
  successBody,
  exampleErrors,
  terminalEnvelopes,
  writtenByEngine,
} from '../../harness/generate/answers.ts';

const ID = 'router.transparent-proxy';

const onMessages = { route: 'messages' } as const;
const asStream = { ...onMessages, stream: true } as const;
/** A success of which the engine sends only the beginning. */
const WHOLE = JSON.stringify({ id: 'scripted', data: ['said', 'to', 'the', 'end'] });
const successes = [...oddSpellings, ...noJson, largeSuccess];
const SAID = 'the engine has lost its way';

/** The contract does not say whether the router asks another engine after an error response. */
const ONE_ENGINE = 'no second engine was asked after one that answered with a failure';

const error = { code: 'invalid_parameter', message: 'scripted', source: 'router' } as const;
const ofItsOwn = 'application/vnd.plumbline+json';
const contentTypes = [ofItsOwn, 'application/json', ofItsOwn, 'text/plain'];
const labelled = (type: string) => ({
  headers: Object.entries({ 'Content-Type': type, 'X-Request-ID': 'engine' }),
});

export default routerSection('transparent-proxy', (test) => {
  for (const [turn, route] of proxyRouteNames.entries()) {
    const slug = proxySlug[route];
    const shareOf = <T>(t: RouterContext, values: readonly T[], forEach?: readonly T[]) =>
      spreadOver(t, servedProxyRoutes(t), values, forEach).find(([one]) => one === route)?.[1] ??
      [];

    const untouched = `${ID}.${slug}-success-untouched` as const;
    test(`a success on ${slug} is untouched`, { judges: [untouched] }, async (t) => {
      const inChunks = { ...respondBytes(200, noText), framing: 'chunked' } as const;
      t.judge(untouched, await passes(t, inChunks, noText, { route }));
      const lost = respondText(200, WHOLE, { drop: { at: { afterBytes: 20 }, how: 'close' } });
      const began = (exchange: Exchange) => beganUntouched(exchange, Buffer.from(WHOLE));
      t.judge(untouched, await judgedAnswer(t, lost, { route }, began));
      await t.property(
        `successes on ${slug}`,
        successBody,
        async (text, judge) =>
          judge(untouched, await passes(t, respondText(200, text), text, { route })),
        { weight: 0.4, examples: shareOf(t, successes, oddSpellings.slice(0, 1)) },
      );
    });

    for (const [law, errors, examples, check, others, statuses] of [
      [
        'error-unclassified',
        classifiableError,
        () => exampleErrors,
        unclassified,
        () => [],
        [[], []],
      ],
      ['error-wrapped', foreignError, errorsOfService, wrapped, foreignOfAnySize, foreignStatuses],
    ] as const) {
      const id = `${ID}.${slug}-${law}` as const;
      test(`${law} on ${slug}`, { judges: [id] }, async (t) => {
        // A 429 is not repeated, since it may be the violation itself. An error before a stream is like any other.
        const once = { route, repeat: false } as const;
        await t.property(
          `${law} on ${slug}`,
          tuple(errors, boolean()),
          async ([{ status, body }, streamed], judge) => {
            const options = { ...once, stream: route === 'messages' && streamed };
            judge(id, await judgedAnswer(t, respondText(status, body), options, check));
          },
          { weight: 0.4, examples: examples(route) },
        );
        // Last, since each is slow if failed agents rest.
        const [always, dealt] = statuses;
        const wordless = [...t.some(always), ...t.some(shareOf(t, dealt))];
        for (const { status, body } of [...others(turn), ...wordless]) {
          t.judge(id, await judgedAnswer(t, respondText(status, body), once, check));
        }
      });
    }

    const kept = `${ID}.${slug}-envelope-kept` as const;
    test(`an envelope on ${slug} is kept`, { judges: [kept] }, async (t) => {
      for (const [status, code, source] of t.some(shareOf(t, terminalEnvelopes))) {
        const asked = forwarding(t, route);
        const answer = envelope(status, code, source, inTwoChunks);
        const { exchange, hits } = await provoke(t, answer, asked);
        t.judge(kept, whenReached(hits, keptEnvelope(exchange, { code, source })));
        t.judge(`router.codes.${code}-status`, forwardedBesideRow(exchange));
      }
      for (const [status, sent] of t.some(shareOf(t, othersOfTable))) {
        t.judge(kept, await keeps(t, route, writtenByEngine(status, { error: sent }), sent));
      }
    });
  }

  test(
    'an envelope is kept also of the engine that is asked after another failed',
    { judges: [`${ID}.messages-envelope-kept`], needs: ['models.pair'] },
    async (t) => {
      const model = requireFixture(t, 'pair');
      const answers = [respond(500), writtenByEngine(400, { error })] as const;
      const asked = { ...forwarding(t, 'messages'), model };
      const { exchange, hits } = await provoke(t, answers, asked);
      if (hits > 1) t.judge(`${ID}.messages-envelope-kept`, keptEnvelope(exchange, error));
      else t.notExercised(`${ID}.messages-envelope-kept`, ONE_ENGINE);
    },
  );

  test(
    'an envelope is kept with further members, and whatever its engine calls it',
    { judges: [`${ID}.envelope-with-more-kept`, `${ID}.envelope-whatever-its-label`] },
    async (t) => {
      const keptIn = async (route: ProxyRoute, answer: Behaviour) =>
        unlessExplained(await keeps(t, route, answer, error), async () => {
          const plain = await keeps(t, route, writtenByEngine(400, { error }), error);
          return plain.violations.length > 0;
        });
      for (const route of t.some(servedProxyRoutes(t), 1, 2)) {
        for (const body of [{ error: { ...error, param: 'top_p' } }, { error, trace: [1] }]) {
          const judgement = await keptIn(route, writtenByEngine(400, body));
          t.judge(`${ID}.envelope-with-more-kept`, judgement);
        }
      }
      const called = respondText(400, JSON.stringify({ error }), labelled('text/plain'));
      t.judge(`${ID}.envelope-whatever-its-label`, await keptIn('messages', called));
    },
  );

  test(
    'what is nearly the envelope is wrapped',
    { judges: [`${ID}.near-envelope-wrapped`] },
    async (t) => {
      for (const body of t.some(nearEnvelopes, 2, 5)) {
        const answered = judgedAnswer(t, respondText(400, body), onMessages, wrapped);
        t.judge(`${ID}.near-envelope-wrapped`, await answered);
      }
    },
  );

  test(
    'a request reaches the engine with its bytes',
    { judges: [`${ID}.request-untouched`] },
    async (t) => {
      for (const route of t.some(servedProxyRoutes(t), 1)) {
        const script = await t.backend.script([complete()]);
        const extra = { metadata: { note: 'wie gesagt: größer, 世界 🚀' } };
        const model = scriptedModel(t, route);
        const stream = route === 'messages';
        const body = inferenceBody(route, model, { script, extra, stream });
        const text = `\n${JSON.stringify(body, undefined, 3)}\n`;
        const send = async () => t.api.postRaw(inferencePaths[route], text);
        const exchange = await onceServed(t, model, send);
        const hits = await t.backend.hits(script);
        t.judge(`${ID}.request-untouched`, arrivedUntouched(exchange, hits));
      }
    },
  );

  test(
    'another success status than 200 is kept, and so is the content type',
    { judges: [`${ID}.other-success-status`, `${ID}.success-content-type`] },
    async (t) => {
      for (const route of servedProxyRoutes(t)) {
        for (const status of t.some([201, 204, 202, 203], 2)) {
          const body = status === 204 ? '' : JSON.stringify({ id: 'scripted', status });
          const passed = passes(t, respondText(status, body), body, { route, status });
          t.judge(`${ID}.other-success-status`, await passed);
        }
      }
      for (const [route, types] of spreadOver(t, servedProxyRoutes(t), contentTypes)) {
        for (const type of types) {
          const { exchange } = await provoke(t, respondText(200, '{}', labelled(type)), { route });
          t.judge(`${ID}.success-content-type`, hasMediaType(exchange, type));
        }
      }
    },
  );

  test(
    'a stream on messages is untouched wherever the engine cuts it, as far as it comes',
    { judges: [`${ID}.stream-untouched`] },
    async (t) => {
      const id = `${ID}.stream-untouched`;
      const inPieces = { ...inAwkwardPieces, lineEnding: 'crlf' } as const;
      for (const { answer, bytes } of [
        writtenStream(messageEvents(wideCharacters), inPieces),
        writtenStream(messageEvents(longPieces)),
      ]) {
        t.judge(id, await passes(t, answer, bytes, asStream));
      }
      for (const at of [{ afterEvents: 2 }, { insideEvent: 2 }] as const) {
        const list = messageEvents(['one', ' two', ' three']);
        const { answer, bytes } = writtenStream(list, { drop: { at, how: 'close' } });
        const { exchange } = await provoke(t, answer, asStream);
        t.judge(id, beganUntouched(exchange, bytes));
      }
      const cutAnywhere = cutStream.map(({ pieces, lineEnding, cuts }) =>
        writtenStream(messageEvents(pieces), { lineEnding, cuts: cutsIn(cuts) }),
      );
      await t.property(
        'streams on messages',
        cutAnywhere,
        async ({ answer, bytes }, judge) => judge(id, await passes(t, answer, bytes, asStream)),
        { weight: 0.5 },
      );
    },
  );

  test(
    'how errors come out where it is open is recorded',
    { judges: [`${ID}.final-codes`, `${ID}.wrapped-message`, `${ID}.envelope-kept-status`] },
    async (t) => {
      for (const status of [400, 422, 429, 500, 503]) {
        const options = { ...onMessages, repeat: false };
        const { exchange } = await provoke(t, respondText(status, SAID), options);
        const holds = envelopeOf(exchange)?.message?.includes(SAID) === true;
        const message = `${status}: ${holds ? 'holds' : 'leaves out'} what the engine said`;
        t.record(`${ID}.final-codes`, `${status}: ${outcomeText(exchange)}`, exchange);
        t.record(`${ID}.wrapped-message`, message, exchange);
      }
      for (const status of [400, 422, 500]) {
        const answer = writtenByEngine(status, { error: { ...error, source: 'backend' } });
        const { exchange } = await provoke(t, answer, forwarding(t, 'messages'));
        t.record(`${ID}.envelope-kept-status`, `${status}: ${outcomeText(exchange)}`, exchange);
      }
    },
  );
});
