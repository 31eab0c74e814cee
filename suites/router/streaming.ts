/** Streaming: complete streams, errors before a stream starts, and streams whose engine is lost. */

import { routerNeeds } from '../../schemas/router/needs.ts';
import { EVENT_STREAM } from '../../schemas/router/streaming.ts';
import { complete, drop, events, respondText } from '../../harness/backend/behaviour.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { isChatStream } from '../../harness/checks/router/event-stream.ts';
import { reachedEngine, wereCutShort, whenReached } from '../../harness/checks/router/tries.ts';
import { acceptableFinalCodes, hasMediaType } from '../../harness/checks/router/outcome.ts';
import {
  brokeOff,
  cameWhileOpen,
  deliveredWhole,
  earlyEnd,
  endsLikeItsEngine,
  errorBeforeStream,
  noForgedEnd,
  sameOutput,
} from '../../harness/checks/router/stream-delivery.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture, requireTries } from '../../harness/drivers/router/fixtures.ts';
import {
  heldStream,
  refusalsOfStreams,
  streamHeldOpen,
} from '../../harness/drivers/router/held-stream.ts';
import { inTheEnd } from '../../harness/drivers/router/ejection.ts';
import {
  afterErrorBeforeStream,
  judgedAnswer,
  provoke,
} from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import {
  chatEvents,
  cutsIn,
  cutStream,
  type FailingStream,
  failingStream,
  inAwkwardPieces,
  lastChunks,
  longPieces,
  losses,
  lostEvents,
  manyPieces,
  messageEvents,
  wideCharacters,
  type Writing,
  writtenStream,
} from '../../harness/generate/streams.ts';
import { errorsOfAllKinds } from '../../harness/generate/engine-errors.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { retry } from '../../harness/runner/retry.ts';
import { isBrokenOff } from '../../harness/checks/whole.ts';

const ID = 'router.streaming';

/** Requirements that the universal check judges on every stream. */
const OF_EACH = [`${ID}.content-type`, `${ID}.events-parse`] as const;
const WITH_ID = 'router.response-headers.request-id-on-stream';

const END = { data: '[DONE]' };
const asStream = { stream: true } as const;

const { bytes: lostBytes } = writtenStream(lostEvents);

/** The number of streams of a case that broke off. The network may lose one of them, which is then repeated. */
interface Lost {
  streams: number;
}

/** Judges a complete stream of these pieces. */
async function streamed(
  t: RouterContext,
  lost: Lost,
  pieces: readonly string[],
  writing?: Writing,
) {
  const { answer, bytes } = writtenStream([...chatEvents(pieces), ...lastChunks, END], writing);
  const { exchange, hits } = await retry(
    t,
    'oneLost',
    async () => provoke(t, answer, asStream),
    (sent) => {
      if (!isBrokenOff(sent.exchange)) return true;
      lost.streams += 1;
      return lost.streams > 1;
    },
  );
  const equal = writing === undefined ? 'events-equal' : 'events-equal-any-chunks';
  return [
    [`${ID}.${equal}`, sameOutput(exchange, bytes)],
    [`${ID}.whole-stream-delivered`, whenReached(hits, deliveredWhole(exchange))],
    [`${ID}.last-event-delivered`, endsLikeItsEngine(exchange, bytes)],
  ] as const;
}

export default routerSection('streaming', (test) => {
  test(
    'a chat completion that is asked to stream is a stream of events',
    { judges: OF_EACH },
    async (t) => {
      // The universal check judges the stream, so any chat model is suitable.
      const model = await t.anyModel();
      const exchange = await t.api.chat(model, { stream: true, maxTokens: FEW_TOKENS });
      if (isChatStream(exchange)) return;
      throw new NotExercised(`the model ${model} did not stream`, routerNeeds['models.chat'].line);
    },
  );

  test(
    'an ordinary stream of the scripted engine has its label, its events and a request id',
    { judges: [...OF_EACH, WITH_ID], needs: ['backend', 'models.chat'] },
    async (t) => {
      await provoke(t, complete({ lineEnding: 'crlf' }), asStream);
      await provoke(t, complete({ text: ['a', 'b'] }), asStream);
    },
  );

  test(
    'a stream on messages is labelled as one',
    { judges: [`${ID}.messages-content-type`] },
    async (t) => {
      const answer = events(messageEvents(['one', ' two']));
      const options = { route: 'messages', stream: true } as const;
      const labelled = (exchange: Exchange) => hasMediaType(exchange, EVENT_STREAM);
      const judgement = await judgedAnswer(t, answer, options, labelled);
      t.judge(`${ID}.messages-content-type`, judgement);
    },
  );

  test(
    'a stream that the engine completes reaches the client whole',
    {
      judges: [`${ID}.whole-stream-delivered`, `${ID}.last-event-delivered`, `${ID}.events-equal`],
    },
    async (t) => {
      const lost = { streams: 0 };
      const short = ['Grüße', ', ', '世界', ' ha', ' ha', ' 🚀\n\n', 'data: [DONE]'];
      for (const pieces of [short, longPieces, manyPieces]) {
        for (const [id, judgement] of await streamed(t, lost, pieces)) t.judge(id, judgement);
      }
    },
  );

  test(
    'the events of a stream are the same wherever the engine cuts its bytes',
    {
      judges: [
        `${ID}.events-equal-any-chunks`,
        `${ID}.whole-stream-delivered`,
        `${ID}.last-event-delivered`,
      ],
    },
    async (t) => {
      const lost = { streams: 0 };
      for (const lineEnding of ['lf', 'crlf'] as const) {
        const inPieces = { ...inAwkwardPieces, lineEnding };
        const [[id, equal]] = await streamed(t, lost, wideCharacters, inPieces);
        t.judge(id, equal);
      }
      await t.property(
        'cut streams',
        cutStream,
        async ({ pieces, lineEnding, cuts }, judge) => {
          const anywhere = { lineEnding, cuts: cutsIn(cuts) };
          for (const [id, judgement] of await streamed(t, lost, pieces, anywhere))
            judge(id, judgement);
        },
        { weight: 0.8 },
      );
    },
  );

  test(
    'an event reaches the client while the engine holds the stream open',
    { judges: [`${ID}.incremental`] },
    async (t) => {
      const list = chatEvents(['first', 'second']);
      const { exchange, delivered } = await streamHeldOpen(t, list);
      t.judge(`${ID}.incremental`, cameWhileOpen(exchange, delivered));
    },
  );

  test(
    'a refusal of a request for a stream is JSON',
    { judges: [`${ID}.refusal-is-json`] },
    async (t) => {
      t.judge(`${ID}.refusal-is-json`, await refusalsOfStreams(t));
    },
  );

  test(
    'an error of the engine before its stream is JSON with the status of its code',
    { judges: [`${ID}.backend-error-is-json`] },
    async (t) => {
      for (const error of t.some(errorsOfAllKinds)) {
        t.judge(`${ID}.backend-error-is-json`, await afterErrorBeforeStream(t, error));
      }
    },
  );

  test(
    'an engine that is lost before its stream is a JSON error',
    { judges: [`${ID}.drop-before-start`] },
    async (t) => {
      for (const [how, route] of [
        ['close', 'chat'],
        ['reset', 'chat'],
        ['close', 'messages'],
      ] as const) {
        const judgement = await judgedAnswer(t, drop(how), { stream: true, route }, (exchange) =>
          errorBeforeStream(exchange, acceptableFinalCodes('backend-dropped')),
        );
        t.judge(`${ID}.drop-before-start`, judgement);
      }
    },
  );

  test(
    'a stream whose first engine fails before it starts is begun by another agent',
    { judges: [`${ID}.retried-before-start`], isolation: 'target' },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      const answer = events([...chatEvents(['from', ' the', ' second']), END]);
      for (const failure of [drop('close'), respondText(503, '')]) {
        const attempt = async () =>
          judgedAnswer(t, [failure, answer], { model, stream: true }, (exchange) =>
            wereCutShort(exchange) ? notObserved : deliveredWhole(exchange),
          );
        t.judge(`${ID}.retried-before-start`, await inTheEnd(t, model, attempt));
      }
    },
  );

  for (const [name, slug, at, whole] of losses) {
    for (const how of ['close', 'reset'] as const) {
      const id = `${ID}.${slug}` as const;
      test(
        `a stream whose engine is lost ${name} (${how}) ends early`,
        {
          judges: [
            id,
            `${ID}.failure-keeps-status`,
            `${ID}.failure-keeps-delivered`,
            `${ID}.no-forged-end`,
            `${ID}.no-envelope-in-stream`,
            `${ID}.failure-kind`,
          ],
        },
        async (t) => {
          const lost = { events: lostEvents, at, whole, drop: how };
          const { exchange, began } = await heldStream(t, lost);
          // A reset may discard bytes in transit, so only an orderly close guarantees all of them.
          const least = how === 'close' ? whole : 0;
          // A router that buffers the start of a stream may still answer with an error.
          t.judge(`${ID}.failure-keeps-status`, began ? earlyEnd(exchange) : notObserved);
          t.judge(id, brokeOff(exchange, lostBytes));
          t.judge(`${ID}.no-forged-end`, noForgedEnd(exchange, lostBytes));
          t.judge(`${ID}.failure-keeps-delivered`, sameOutput(exchange, lostBytes, least));
          const note = `engine lost ${name} by ${how}: ${exchange.ending}`;
          t.record(`${ID}.failure-kind`, note, exchange);
        },
      );
    }
  }

  test(
    'a stream that fails anywhere shows what the engine had sent and nothing of its own',
    { judges: [`${ID}.failure-keeps-delivered`, `${ID}.no-forged-end`] },
    async (t) => {
      const probe = async (stream: FailingStream, judge: typeof t.judge) => {
        const { pieces, lineEnding, share, how } = stream;
        const { answer, bytes } = writtenStream(chatEvents(pieces), { lineEnding });
        const at = { afterBytes: Math.floor((share / 1_000) * bytes.length) };
        const { exchange } = await provoke(t, { ...answer, drop: { at, how } }, asStream);
        judge(`${ID}.failure-keeps-delivered`, sameOutput(exchange, bytes, 0));
        judge(`${ID}.no-forged-end`, noForgedEnd(exchange, bytes));
      };
      await t.property('failing streams', failingStream, probe, { weight: 0.8 });
    },
  );

  test(
    'a stream that failed after it began is not tried at another agent',
    { judges: [`${ID}.no-retry-after-start`], isolation: { fixtures: ['models.pair'] } },
    async (t) => {
      const model = requireFixture(t, 'pair');
      const at = { afterEvents: 1 };
      const lost = { events: lostEvents, at, whole: 1, drop: 'close', model } as const;
      const { exchange, began, hits } = await heldStream(t, lost);
      const judgement = began ? reachedEngine(exchange, hits, 1) : notObserved;
      t.judge(`${ID}.no-retry-after-start`, judgement);
    },
  );
});
