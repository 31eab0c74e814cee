/** Streaming: streams that come to their end, and errors that come before one. */

import { routerNeeds } from '../../schemas/needs.ts';
import { EVENT_STREAM } from '../../schemas/router/streaming.ts';
import { isChatStream } from '../../harness/checks/router/chat-stream.ts';
import { type Judgement, notObserved, together } from '../../harness/checks/judgement.ts';
import { asksForStream } from '../../harness/checks/router/request-body.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { classifiedEnds } from '../../harness/checks/router/classification.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { acceptableFinalCodes, endedWith } from '../../harness/checks/router/final-codes.ts';
import { sameOutput } from '../../harness/checks/router/stream-delivery.ts';
import { onceBegun } from '../../harness/checks/router/stream-failure.ts';
import {
  cameWhileOpen,
  deliveredWhole,
  endsLikeItsEngine,
  jsonError,
} from '../../harness/checks/router/stream-start.ts';
import { hasMediaType } from '../../harness/checks/router/success.ts';
import { wereCutShort } from '../../harness/checks/router/tries.ts';
import { complete, drop, events, respondText } from '../../harness/backend/behaviours.ts';
import { encodeEvents } from '../../harness/backend/sse.ts';
import {
  awkwardCuts,
  chatEvents,
  cutsIn,
  cutStream,
  longPieces,
  manyPieces,
  messageEvents,
} from '../../harness/generate/chat-chunks.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { heldStream } from '../../harness/drivers/router/held-stream.ts';
import { inTheEnd } from '../../harness/drivers/router/patience.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { requireTries } from '../../harness/drivers/router/tries.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';
/** The judgement of what became of a stream: a router that begins it by itself is asked without one. */
function whenStreamed(exchange: Exchange, hits: number, judgement: () => Judgement): Judgement {
  return asksForStream(exchange) ? whenReached(hits, judgement) : notObserved;
}

const END = { data: '[DONE]' };
/** Milliseconds between pieces, so that they do not travel together. */
const APART_MS = 5;
/** How often a stream may be held back before it counts. */
const TRIES = 3;

export default routerSection('streaming', (test) => {
  test(
    'a chat completion that is asked to stream is a stream of events',
    { judges: ['router.streaming.content-type', 'router.streaming.events-parse'] },
    async (t) => {
      // The universal check judges it; any engine that chats will do.
      const model = await t.anyModel();
      const exchange = await t.api.chat(model, { stream: true, maxTokens: FEW_TOKENS });
      if (!isChatStream(exchange)) {
        throw new NotExercised(
          `the model ${model} did not stream`,
          routerNeeds['models.chat'].line,
        );
      }
    },
  );

  test(
    'a stream on messages is labelled as one',
    { judges: ['router.streaming.messages-content-type'] },
    async (t) => {
      const list = messageEvents(['one', ' two']);
      const options = { route: 'messages', stream: true } as const;
      const { exchange, hits } = await provoke(t, events(list), options);
      t.judge(
        'router.streaming.messages-content-type',
        whenReached(hits, () => hasMediaType(exchange, EVENT_STREAM)),
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
        const { exchange, hits } = await provoke(t, events(list), { stream: true });
        t.judge(
          'router.streaming.whole-stream-delivered',
          whenReached(hits, () => deliveredWhole(exchange)),
        );
        t.judge('router.streaming.last-event-delivered', endsLikeItsEngine(exchange, body));
        t.judge(
          'router.streaming.events-equal',
          onceBegun(exchange, () => sameOutput(exchange, body)),
        );
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
        const behaviour = events(list, { lineEnding, splitAt });
        const { exchange, hits } = await provoke(t, behaviour, { stream: true });
        judge(
          'router.streaming.events-equal-any-chunks',
          onceBegun(exchange, () => sameOutput(exchange, body)),
        );
        judge(
          'router.streaming.whole-stream-delivered',
          whenReached(hits, () => deliveredWhole(exchange)),
        );
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
        const { exchange } = await provoke(t, behaviour, { stream: true });
        t.judge(
          'router.streaming.events-equal-any-chunks',
          onceBegun(exchange, () => sameOutput(exchange, body)),
        );
      }
    },
  );

  test(
    'an event reaches the client while the engine holds the stream open',
    { judges: ['router.streaming.incremental'] },
    async (t) => {
      const look = async () =>
        heldStream(t, {
          events: chatEvents(['first', 'second']),
          at: { afterEvents: 1 },
          whole: 1,
        });
      let { exchange, delivered } = await look();
      // Load may hold one stream back; a router that waits for the whole of it does so each time.
      for (let again = 1; again < TRIES && !delivered; again += 1) {
        ({ exchange, delivered } = await look());
      }
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
      const context = JSON.stringify({ error: { message: 'maximum context length exceeded' } });
      for (const [status, body] of [
        [400, context],
        [400, 'raw'],
        [422, '{}'],
        [429, ''],
        [500, '<html>'],
        [503, '{"message":"loading"}'],
      ] as const) {
        const options = { stream: true, repeat: false };
        const { exchange, hits } = await provoke(t, respondText(status, body), options);
        t.judge(
          'router.streaming.backend-error-is-json',
          whenStreamed(exchange, hits, () =>
            together(jsonError(exchange), endedWith(exchange, classifiedEnds({ status, body }))),
          ),
        );
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
        const { exchange, hits } = await provoke(t, drop(how), { stream: true, route });
        t.judge(
          'router.streaming.drop-before-start',
          whenStreamed(exchange, hits, () =>
            together(
              jsonError(exchange),
              endedWith(exchange, acceptableFinalCodes('backend-dropped')),
            ),
          ),
        );
      }
    },
  );

  test(
    'a stream whose first engine fails before it starts is begun by another agent',
    { judges: ['router.streaming.retried-before-start'], exclusive: ['models.pair'] },
    async (t) => {
      const model = t.models.pair;
      if (model === undefined) throw new NotExercised('models.pair is not given');
      requireTries(t, 2);
      const list = [...chatEvents(['from', ' the', ' second']), END];
      for (const failure of [drop('close'), respondText(503, '')]) {
        const judgement = await inTheEnd(t, model, async () => {
          const options = { model, stream: true };
          const { exchange, hits } = await provoke(t, [failure, events(list)], options);
          return wereCutShort(exchange)
            ? notObserved
            : whenReached(hits, () => deliveredWhole(exchange));
        });
        t.judge('router.streaming.retried-before-start', judgement);
      }
    },
  );

  test(
    'an ordinary stream of the scripted engine has its label and its events',
    {
      judges: ['router.streaming.content-type', 'router.streaming.events-parse'],
      needs: ['backend', 'models.chat'],
    },
    async (t) => {
      await provoke(t, complete({ lineEnding: 'crlf' }), { stream: true });
      await provoke(t, complete({ text: ['a', 'b'] }), { stream: true });
    },
  );
});
