/** What a request held and what does not come back, on one kind of ending. */

import type { RequestContext } from '../model.ts';

import { after, answering, before, chained, faultTable, on, refusal } from './words.ts';
import { keeping, leaking } from './words-limits.ts';

const onSlot = on({ model: 'scripted-slot' });

/** Bytes of a stream beyond which its client is slower than the router. */
const LONG_STREAM = 50_000;

const leaks = (
  [
    ['slot', 429, ['slot-back-after-error', 'slots-free-when-idle']],
    ['inflight', 400, ['inflight-back-after-error', 'places-free-when-idle']],
  ] as const
).flatMap(([leaked, status, [aim, ...besides]]) =>
  faultTable('router.admission', {
    [`${aim}: ${leaked}-leaks-after-engine-${status}`]: {
      besides: besides.map((slug) => `router.admission.${slug}`),
      patch: leaking(leaked, (ended, context) => ended === 'failed' && after(status)(context)),
    },
  }),
);

const slots = (
  [
    ['success', 'slot-back-after-success', 'a request that was answered'],
    ['failed', 'slot-back-after-error', 'a request that its engine refused'],
    ['stream-failed', 'slot-back-after-stream-failure', 'a stream whose engine was lost'],
    ['timeout', 'slot-back-after-timeout', 'a request that ran into the deadline'],
  ] as const
).flatMap(([ending, slug, _what]) =>
  faultTable('router.admission', {
    [`${slug}: slot-leaks-after-${ending}`]: leaking(
      'slot',
      (ended, context) => ended === ending && onSlot(context),
    ),
  }),
);

const places = (
  [
    ['success', 'inflight-back-after-success'],
    ['failed', 'inflight-back-after-error'],
    ['hang-up', 'inflight-back-after-hang-up'],
  ] as const
).flatMap(([ending, slug]) =>
  faultTable('router.admission', {
    [`${slug}: inflight-leaks-after-${ending}`]: leaking('inflight', (ended) => ended === ending),
  }),
);

/** What requests weigh, kept on endings that are not an answer in one piece. */
const weights = (
  [
    ['occupancy', 'occupancy-back', 'Forgets the tokens that'],
    ['share', 'serverless-share-back', 'Forgets the share that'],
  ] as const
).flatMap(([leaked, slug, _forgets]) =>
  (
    [
      ['failed', false, 'a request took whose engine refused it'],
      ['success', true, 'a stream took that was answered'],
      ['hang-up', false, 'a request took whose client hung up'],
    ] as const
  ).flatMap(([ending, streamed, _what]) =>
    faultTable('router.admission', {
      [`${slug}: ${leaked}-leaks-after-${streamed ? 'streams' : ending}`]: leaking(
        leaked,
        (ended, { stream }) => ended === ending && stream === streamed,
      ),
    }),
  ),
);

export const admissionLeaksFaults = [
  ...faultTable('router.admission', {
    'slot-back-after-hang-up + slots-free-when-idle: slot-leaks-on-hang-up': leaking(
      'slot',
      (ended, { stream }) => ended === 'hang-up' && !stream,
    ),
    'slot-back-after-hang-up: slot-leaks-on-hang-up-of-messages': keeping(
      'slot',
      'hang-up',
      on({ path: '/v1/messages', model: 'scripted-slot' }),
    ),
    'slot-back-after-error: slot-leaks-after-refused-stream': leaking(
      'slot',
      (ended, context) => ended === 'failed' && context.stream && onSlot(context),
    ),
    'inflight-back-after-error: inflight-leaks-after-stream-failed': leaking(
      'inflight',
      (ended) => ended === 'stream-failed',
    ),
    'slot-back-after-stream-failure: slot-leaks-after-broken-messages-stream': leaking(
      'slot',
      (ended, context) =>
        ended === 'stream-failed' && onSlot(context) && context.path === '/v1/messages',
    ),
    'places-free-when-idle + inflight-back-after-hang-up: inflight-leaks-after-stream-hang-up':
      leaking('inflight', (ended, { stream }) => ended === 'hang-up' && stream),
    'inflight-back-after-hang-up: inflight-leaks-after-parked-hang-up': (rules) => ({
      ...leaking('inflight', (ended, { stage }) => ended === 'hang-up' && stage === 'queue')(rules),
      endOfParking: () => new AbortController().signal,
    }),
    'inflight-back-after-timeout: inflight-leaks-after-timeout': leaking(
      'inflight',
      (ended) => ended === 'timeout',
    ),
    'slot-back-after-stream-hang-up + slots-free-when-idle: slot-leaks-when-a-stream-hangs-up':
      leaking(
        'slot',
        (ending, context) => ending === 'hang-up' && context.stream && onSlot(context),
      ),
    'slot-back-after-stream-hang-up + slots-free-when-idle: slot-leaks-when-a-long-stream-hangs-up':
      (rules) => {
        const written = new WeakMap<RequestContext, number>();
        const sizeOf = (context: RequestContext): number => written.get(context) ?? 0;
        return chained(
          before('streamPiece', (piece, _index, context) => {
            written.set(context, sizeOf(context) + piece.length);
          }),
          leaking(
            'slot',
            (ending, context) => ending === 'hang-up' && sizeOf(context) > LONG_STREAM,
          ),
        )(rules);
      },
    'processor-back-after-hang-up: processors-leak-after-hang-ups': leaking(
      'processor',
      (ending) => ending === 'hang-up',
    ),
    'processor-back-after-hang-up: processors-leak-after-stream-hang-ups': leaking(
      'processor',
      (ending, { stream }) => ending === 'hang-up' && stream,
    ),
    'slots-free-when-idle: slots-of-the-plain-model-leak': (rules) => {
      let served = 0;
      return answering(
        (reply, { model }) => model === 'scripted-chat' && reply.status === 200 && ++served > 2,
        (reply) => refusal(reply, 503, 'no_capacity'),
      )(rules);
    },
  }),
  ...leaks,
  ...slots,
  ...(
    [
      ['slot', 'a slot', onSlot],
      ['inflight', 'a place in flight', () => true],
    ] as const
  ).flatMap(([leaked, _what, isMeant]) =>
    faultTable('router.admission', {
      [`${leaked}-back-after-error: ${leaked}-leaks-after-lost-engine`]: (rules) => {
        const lost = new WeakSet<RequestContext>();
        return {
          ...leaking(leaked, (_ended, context) => lost.has(context) && isMeant(context))(rules),
          lostCode: (refused, context) => {
            if (!refused) lost.add(context);
            return rules.lostCode(refused, context);
          },
        };
      },
    }),
  ),
  ...places,
  ...weights,
];
