/** Streaming: streams that come to their end, errors that come before one, and streams whose engine is lost. */

import { routerNeeds } from '../../schemas/router/needs.ts';
import { EVENT_STREAM } from '../../schemas/router/streaming.ts';
import { complete, drop, events, respondText } from '../../harness/backend/behaviour.ts';
import { encodeEvents } from '../../harness/backend/engine/reply.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import { isChatStream } from '../../harness/checks/router/event-stream.ts';
import { classifiedEnds } from '../../harness/checks/router/classification.ts';
import { reachedEngine, wereCutShort, whenReached } from '../../harness/checks/router/tries.ts';
import { acceptableFinalCodes, hasMediaType } from '../../harness/checks/router/outcome.ts';
import {
  beginningOfOutput,
  cameWhileOpen,
  deliveredWhole,
  earlyEnd,
  endsLikeItsEngine,
  errorBeforeStream,
  failedAfterStart,
  jsonError,
  noForgedEnd,
  onceBegun,
  sameOutput,
} from '../../harness/checks/router/stream-delivery.ts';
import { FEW_TOKENS, UNKNOWN_MODEL } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture, requireTries } from '../../harness/drivers/router/fixtures.ts';
import { heldStream, streamHeldOpen } from '../../harness/drivers/router/held-stream.ts';
import { inTheEnd } from '../../harness/drivers/router/rested.ts';
import { judgedAnswer, provoke } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import {
  awkwardCuts,
  chatEvents,
  cutsIn,
  cutStream,
  failingStream,
  longPieces,
  losses,
  lostEvents,
  manyPieces,
  messageEvents,
} from '../../harness/generate/streams.ts';
import { errorsOfAllKinds } from '../../harness/generate/engine-errors.ts';
import { NotExercised } from '../../harness/runner/case.ts';

const END = { data: '[DONE]' };
/** Milliseconds between pieces, so that they do not travel together. */
const APART_MS = 5;
const asStream = { stream: true } as const;

const { body: lostBytes } = encodeEvents(lostEvents);

export default routerSection('streaming', (test) => {
  test(
    'a chat completion that is asked to stream is a stream of events',
    { judges: ['router.streaming.content-type', 'router.streaming.events-parse'] },
    async (t) => {
      // The universal check judges it; any engine that chats will do.
      const model = await t.anyModel();
      const exchange = await t.api.chat(model, { stream: true, maxTokens: FEW_TOKENS });
      if (isChatStream(exchange)) return;
      throw new NotExercised(`the model ${model} did not stream`, routerNeeds['models.chat'].line);
    },
  );

  test(
    'an ordinary stream of the scripted engine has its label and its events',
    {
      judges: ['router.streaming.content-type', 'router.streaming.events-parse'],
      needs: ['backend', 'models.chat'],
    },
    async (t) => {
      await provoke(t, complete({ lineEnding: 'crlf' }), asStream);
      await provoke(t, complete({ text: ['a', 'b'] }), asStream);
    },
  );

  test(
    'a stream on messages is labelled as one',
    { judges: ['router.streaming.messages-content-type'] },
    async (t) => {
      const answer = events(messageEvents(['one', ' two']));
      const options = { route: 'messages', stream: true } as const;
      t.judge(
        'router.streaming.messages-content-type',
        await judgedAnswer(t, answer, options, (exchange) => hasMediaType(exchange, EVENT_STREAM)),
      );
    },
  );

  test(
    'a stream that the engine completes reaches the client whole',
    {
      judges: [
        'router.streaming.whole-stream-delivered',
        'router.streaming.last-event-delivered',
        'router.streaming.events-equal',
      ],
    },
    async (t) => {
      const short = ['Grüße', ', ', '世界', ' 🚀\n\n', 'data: [DONE]'];
      for (const pieces of [short, longPieces, manyPieces]) {
        const list = [...chatEvents(pieces), END];
        const { body } = encodeEvents(list);
        const { exchange, hits } = await provoke(t, events(list), asStream);
        const whole = whenReached(hits, () => deliveredWhole(exchange));
        t.judge('router.streaming.whole-stream-delivered', whole);
        t.judge('router.streaming.last-event-delivered', endsLikeItsEngine(exchange, body));
        const equal = onceBegun(exchange, () => sameOutput(exchange, body));
        t.judge('router.streaming.events-equal', equal);
      }
    },
  );

  test(
    'the events of a stream are the same wherever the engine cuts its bytes',
    {
      judges: [
        'router.streaming.events-equal-any-chunks',
        'router.streaming.whole-stream-delivered',
        'router.streaming.last-event-delivered',
      ],
      requests: 20,
    },
    async (t) => {
      await t.property('cut streams', cutStream, async ({ pieces, lineEnding, cuts }, judge) => {
        const list = [...chatEvents(pieces), END];
        const { body } = encodeEvents(list, lineEnding);
        const splitAt = [...cutsIn(body.length, cuts)];
        const { exchange, hits } = await provoke(
          t,
          events(list, { lineEnding, splitAt }),
          asStream,
        );
        const whole = whenReached(hits, () => deliveredWhole(exchange));
        const equal = onceBegun(exchange, () => sameOutput(exchange, body));
        judge('router.streaming.events-equal-any-chunks', equal);
        judge('router.streaming.whole-stream-delivered', whole);
        judge('router.streaming.last-event-delivered', endsLikeItsEngine(exchange, body));
      });
    },
  );

  test(
    'the events of a stream are the same when its characters and line endings come in pieces',
    { judges: ['router.streaming.events-equal-any-chunks'] },
    async (t) => {
      for (const lineEnding of ['lf', 'crlf'] as const) {
        const list = [...chatEvents(['ß', '界🚀']), END];
        const { body } = encodeEvents(list, lineEnding);
        const splitAt = [...awkwardCuts(body)];
        const behaviour = events(list, { lineEnding, splitAt, delayChunkMs: APART_MS });
        const { exchange } = await provoke(t, behaviour, asStream);
        const equal = onceBegun(exchange, () => sameOutput(exchange, body));
        t.judge('router.streaming.events-equal-any-chunks', equal);
      }
    },
  );

  test(
    'an event reaches the client while the engine holds the stream open',
    { judges: ['router.streaming.incremental'] },
    async (t) => {
      const list = chatEvents(['first', 'second']);
      const { exchange, delivered } = await streamHeldOpen(t, list);
      t.judge('router.streaming.incremental', cameWhileOpen(exchange, delivered));
    },
  );

  test(
    'a refusal of a request for a stream is JSON',
    { judges: ['router.streaming.refusal-is-json'], aside: true },
    async (t) => {
      const refusals = [
        await t.api.chat(UNKNOWN_MODEL, { stream: true }),
        await t.api.chat(UNKNOWN_MODEL, { stream: true, extra: { model: undefined } }),
        await t.api.chat(await t.anyModel(), { stream: true, as: null, maxTokens: FEW_TOKENS }),
      ];
      t.judge('router.streaming.refusal-is-json', together(...refusals.map(jsonError)));
    },
  );

  test(
    'an error of the engine before its stream is JSON with the status of its code',
    { judges: ['router.streaming.backend-error-is-json'] },
    async (t) => {
      for (const error of errorsOfAllKinds) {
        const options = { stream: true, repeat: false };
        const judgement = await judgedAnswer(
          t,
          respondText(error.status, error.body),
          options,
          (exchange) => errorBeforeStream(exchange, classifiedEnds(error)),
        );
        t.judge('router.streaming.backend-error-is-json', judgement);
      }
    },
  );

  test(
    'an engine that is lost before its stream is a JSON error',
    { judges: ['router.streaming.drop-before-start'] },
    async (t) => {
      for (const [how, route] of [
        ['close', 'chat'],
        ['reset', 'chat'],
        ['close', 'messages'],
      ] as const) {
        const judgement = await judgedAnswer(t, drop(how), { stream: true, route }, (exchange) =>
          errorBeforeStream(exchange, acceptableFinalCodes('backend-dropped')),
        );
        t.judge('router.streaming.drop-before-start', judgement);
      }
    },
  );

  test(
    'a stream whose first engine fails before it starts is begun by another agent',
    { judges: ['router.streaming.retried-before-start'], exclusive: ['models.pair'] },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      const answer = events([...chatEvents(['from', ' the', ' second']), END]);
      for (const failure of [drop('close'), respondText(503, '')]) {
        const attempt = async () =>
          judgedAnswer(t, [failure, answer], { model, stream: true }, (exchange) =>
            wereCutShort(exchange) ? notObserved : deliveredWhole(exchange),
          );
        t.judge('router.streaming.retried-before-start', await inTheEnd(t, model, attempt));
      }
    },
  );

  for (const [name, slug, at, whole] of losses) {
    for (const how of ['close', 'reset'] as const) {
      const id = `router.streaming.${slug}` as const;
      test(
        `a stream whose engine is lost ${name} (${how}) ends early`,
        {
          judges: [
            id,
            'router.streaming.failure-keeps-status',
            'router.streaming.failure-keeps-delivered',
            'router.streaming.no-forged-end',
            'router.streaming.no-envelope-in-stream',
            'router.streaming.failure-kind',
          ],
        },
        async (t) => {
          const lost = { events: lostEvents, at, whole, drop: how };
          const { exchange, began } = await heldStream(t, lost);
          const unforged = onceBegun(exchange, () => noForgedEnd(exchange, lostBytes));
          const ended = onceBegun(exchange, () => earlyEnd(exchange));
          // A reset may overtake what was under way, so only an orderly end promises all of it.
          const least = how === 'close' ? whole : 0;
          const kept = onceBegun(exchange, () => beginningOfOutput(exchange, lostBytes, least));
          t.judge('router.streaming.failure-keeps-status', failedAfterStart(exchange, began));
          t.judge(id, together(ended, unforged));
          t.judge('router.streaming.no-forged-end', unforged);
          t.judge('router.streaming.failure-keeps-delivered', kept);
          const note = `engine lost ${name} by ${how}: ${exchange.ending}`;
          t.record('router.streaming.failure-kind', note, exchange);
        },
      );
    }
  }

  test(
    'a stream that fails anywhere shows what the engine had sent and nothing of its own',
    {
      judges: ['router.streaming.failure-keeps-delivered', 'router.streaming.no-forged-end'],
      requests: 20,
    },
    async (t) => {
      await t.property('failing streams', failingStream, async (stream, judge) => {
        const { pieces, lineEnding, share, how } = stream;
        const sent = chatEvents(pieces);
        const bytes = encodeEvents(sent, lineEnding).body;
        const at = { afterBytes: Math.floor((share / 1_000) * bytes.length) };
        const failing = events(sent, { lineEnding, drop: { at, how } });
        const { exchange } = await provoke(t, failing, asStream);
        const kept = onceBegun(exchange, () => beginningOfOutput(exchange, bytes, 0));
        const unforged = onceBegun(exchange, () => noForgedEnd(exchange, bytes));
        judge('router.streaming.failure-keeps-delivered', kept);
        judge('router.streaming.no-forged-end', unforged);
      });
    },
  );

  test(
    'a stream that failed after it began is not tried at another agent',
    { judges: ['router.streaming.no-retry-after-start'], exclusive: ['models.pair'] },
    async (t) => {
      const model = requireFixture(t, 'pair');
      const lost = {
        events: lostEvents,
        at: { afterEvents: 1 },
        whole: 1,
        drop: 'close',
        model,
      } as const;
      const { exchange, began, hits } = await heldStream(t, lost);
      const judgement = began ? reachedEngine(exchange, hits, 1) : notObserved;
      t.judge('router.streaming.no-retry-after-start', judgement);
    },
  );
});
