/** Streaming: streams whose engine is lost after they began. */

import type { Place } from '../../harness/backend/behaviour.ts';
import { events } from '../../harness/backend/behaviours.ts';
import { encodeEvents } from '../../harness/backend/sse.ts';
import { together, notObserved } from '../../harness/checks/judgement.ts';
import {
  beginningOfOutput,
  earlyEnd,
  noForgedEnd,
} from '../../harness/checks/router/stream-delivery.ts';
import { failedAfterStart, onceBegun } from '../../harness/checks/router/stream-failure.ts';
import { reachedEngine } from '../../harness/checks/router/engine-hits.ts';
import { chatEvents } from '../../harness/generate/chat-chunks.ts';
import { failingStream } from '../../harness/generate/failing-stream.ts';
import { heldStream } from '../../harness/drivers/router/held-stream.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const list = chatEvents(['one', 'zwei äöü', '三']);
const { body } = encodeEvents(list);

/** Where an engine is lost, how many whole events it has sent by then, and which requirement speaks of it. */
const losses: readonly (readonly [
  name: string,
  slug: 'failure-between-events' | 'failure-inside-event',
  at: Place,
  whole: number,
])[] = [
  ['after one event', 'failure-between-events', { afterEvents: 1 }, 1],
  ['after two events', 'failure-between-events', { afterEvents: 2 }, 2],
  ['before its end', 'failure-between-events', 'before-end', 3],
  ['inside the second event', 'failure-inside-event', { insideEvent: 1 }, 1],
  [
    'before the last byte of an event',
    'failure-inside-event',
    { insideEvent: 1, afterBytes: 10_000 },
    1,
  ],
];

export default routerSection('streaming', (test) => {
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
          const { exchange, began } = await heldStream(t, { events: list, at, whole, drop: how });
          t.judge('router.streaming.failure-keeps-status', failedAfterStart(exchange, began));
          t.judge(
            id,
            onceBegun(exchange, () => together(earlyEnd(exchange), noForgedEnd(exchange, body))),
          );
          t.judge(
            'router.streaming.no-forged-end',
            onceBegun(exchange, () => noForgedEnd(exchange, body)),
          );
          // A reset may overtake what was under way, so only an orderly end promises all of it.
          const least = how === 'close' ? whole : 0;
          t.judge(
            'router.streaming.failure-keeps-delivered',
            onceBegun(exchange, () => beginningOfOutput(exchange, body, least)),
          );
          t.record(
            'router.streaming.failure-kind',
            `engine lost ${name} by ${how}: ${exchange.ending}`,
            exchange,
          );
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
        const sent = chatEvents(stream.pieces);
        const bytes = encodeEvents(sent, stream.lineEnding).body;
        const place = { afterBytes: Math.floor((stream.share / 1_000) * bytes.length) };
        const { exchange } = await provoke(
          t,
          events(sent, { lineEnding: stream.lineEnding, drop: { at: place, how: stream.how } }),
          { stream: true },
        );
        judge(
          'router.streaming.failure-keeps-delivered',
          onceBegun(exchange, () => beginningOfOutput(exchange, bytes, 0)),
        );
        judge(
          'router.streaming.no-forged-end',
          onceBegun(exchange, () => noForgedEnd(exchange, bytes)),
        );
      });
    },
  );

  test(
    'a stream that failed after it began is not tried at another agent',
    { judges: ['router.streaming.no-retry-after-start'], exclusive: ['models.pair'] },
    async (t) => {
      const model = t.models.pair;
      if (model === undefined) throw new NotExercised('models.pair is not given');
      const { exchange, began, hits } = await heldStream(t, {
        events: list,
        at: { afterEvents: 1 },
        whole: 1,
        drop: 'close',
        model,
      });
      t.judge(
        'router.streaming.no-retry-after-start',
        began ? reachedEngine(exchange, hits, 1) : notObserved,
      );
    },
  );
});
