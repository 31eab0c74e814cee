/** Resources that a request does not release after one kind of ending. */

import { DeadlinePassed, type Ending, type Holding, type RequestContext } from '../model.ts';
import {
  after,
  always,
  answering,
  asStream,
  before,
  chained,
  faultTable,
  gathered,
  MESSAGES,
  on,
  once,
  onMessages,
  refusal,
  replace,
  type RequestTest,
  rows,
} from './words.ts';
import { keeping } from './words-limits.ts';

const onSlot = on({ model: 'scripted-slot' });
const onSlotStream = on({ model: 'scripted-slot', stream: true });
const onSlotMessages = on({ model: 'scripted-slot', path: MESSAGES });
const inOnePiece = on({ stream: false });

/** Bytes of a stream after which its client no longer keeps up with the router. */
const LONG_STREAM = 50_000;

type Leak = readonly [ended: Ending, broken: string, how: string, where: RequestTest];

const leaks: Readonly<Partial<Record<Holding, readonly Leak[]>>> = {
  slot: [
    ['hang-up', 'slot-back-after-hang-up + slots-free-when-idle', 'on-hang-up', inOnePiece],
    ['hang-up', 'slot-back-after-hang-up', 'on-hang-up-of-messages', onSlotMessages],
    ['failed', 'slot-back-after-error', 'after-refused-stream', onSlotStream],
    [
      'success',
      'slot-back-after-success',
      'after-message-streams',
      on({ model: 'scripted-slot', path: MESSAGES, stream: true }),
    ],
    [
      'stream-failed',
      'slot-back-after-stream-failure',
      'after-broken-messages-stream',
      onSlotMessages,
    ],
    [
      'hang-up',
      'slot-back-after-stream-hang-up + slots-free-when-idle',
      'when-a-stream-hangs-up',
      onSlotStream,
    ],
    ['failed', 'slot-back-after-error + slots-free-when-idle', 'after-engine-429', after(429)],
    ['stream-failed', 'slot-back-after-stream-failure', 'after-stream-failed', onSlot],
    ['timeout', 'slot-back-after-timeout', 'after-timeout', onSlot],
  ],
  inflight: [
    ['stream-failed', 'inflight-back-after-error', 'after-stream-failed', always],
    [
      'hang-up',
      'places-free-when-idle + inflight-back-after-hang-up',
      'after-stream-hang-up',
      asStream,
    ],
    ['timeout', 'inflight-back-after-timeout', 'after-timeout', always],
    ['failed', 'inflight-back-after-error + places-free-when-idle', 'after-engine-400', after(400)],
    ['hang-up', 'inflight-back-after-hang-up', 'after-hang-up', always],
    [
      'failed',
      'inflight-back-after-error',
      'after-400-on-messages',
      (context) => onMessages(context) && after(400)(context),
    ],
  ],
  occupancy: [
    ['failed', 'occupancy-back', 'after-engine-500', after(500)],
    ['success', 'occupancy-back', 'after-streams', asStream],
    ['hang-up', 'occupancy-back', 'after-hang-up', inOnePiece],
    ['timeout', 'occupancy-back', 'after-timeout', always],
    ['success', 'occupancy-back', 'after-messages', onMessages],
    ['failed', 'occupancy-back', 'after-failed-messages', onMessages],
    ['hang-up', 'occupancy-back', 'after-hang-up-of-messages', onMessages],
    ['hang-up', 'occupancy-back', 'after-hang-up-of-streams', asStream],
  ],
  share: [
    ['failed', 'serverless-share-back', 'after-failed', inOnePiece],
    ['success', 'serverless-share-back', 'after-streams', asStream],
    ['hang-up', 'serverless-share-back', 'after-hang-up', inOnePiece],
    ['success', 'serverless-share-back', 'after-messages', onMessages],
    ['failed', 'serverless-share-back', 'after-failed-messages', onMessages],
    ['hang-up', 'serverless-share-back', 'after-hang-up-of-messages', onMessages],
    ['hang-up', 'serverless-share-back', 'after-hang-up-of-streams', asStream],
  ],
};

const leakingAfterOverrun = (holding: Holding) =>
  once('overrun', always, (isOverrun) => keeping(holding, 'failed', isOverrun));

export const admissionLeaksFaults = faultTable('router.admission', {
  ...gathered(['slot', 'inflight', 'occupancy', 'share'], (holding) =>
    gathered(leaks[holding] ?? [], ([ended, broken, how, where]) => ({
      [`${broken}: ${holding}-leaks-${how}`]: keeping(holding, ended, where),
    })),
  ),
  ...rows(leakingAfterOverrun, {
    'slots-free-when-idle: slot-leaks-after-an-overrun': 'slot',
    'places-free-when-idle: inflight-leaks-after-an-overrun': 'inflight',
    'occupancy-back: occupancy-leaks-after-an-overrun': 'occupancy',
  }),
  'occupancy-over: occupancy-of-failures-comes-back-twice': before(
    'release',
    (holding, ending, free) => {
      if (holding === 'occupancy' && ending === 'failed') free();
    },
  ),
  'serverless-share-back: share-leaks-when-input-is-refused': (rules) => {
    let leaked = 0;
    let lastWeight = 0;
    return {
      withinShare: (taken, weight, share, context) => {
        lastWeight = weight;
        const kept = context.key?.name === 'serverless' ? leaked : 0;
        return rules.withinShare(taken + kept, weight, share, context);
      },
      gives: (level, amount, what) => {
        const given = rules.gives(level, amount, what);
        if (!given && what === 'input') leaked += lastWeight;
        return given;
      },
    };
  },
  'inflight-back-after-hang-up: inflight-leaks-after-parked-hang-up': chained(
    keeping('inflight', 'hang-up', ({ stage }) => stage === 'queue'),
    () => ({ endOfParking: () => new AbortController().signal }),
  ),
  'slot-back-after-stream-hang-up + slots-free-when-idle: slot-leaks-when-a-long-stream-hangs-up': (
    rules,
  ) => {
    const written = new WeakMap<RequestContext, number>();
    const sizeOf = (context: RequestContext): number => written.get(context) ?? 0;
    return chained(
      before('streamPiece', (piece, _index, context) => {
        written.set(context, sizeOf(context) + piece.length);
      }),
      keeping('slot', 'hang-up', (context) => sizeOf(context) > LONG_STREAM),
    )(rules);
  },
  ...gathered(
    [
      ['slot', 'slot-back-after-stream-hang-up', onSlot],
      ['inflight', 'inflight-back-after-hang-up', always],
    ],
    ([holding, aim, isMeant]) => ({
      [`${aim}: ${holding}-leaks-when-a-stream-hangs-up-before-its-head`]: once(
        'deadlineAt',
        (moment) => moment === 'stream',
        (hasBegun) =>
          keeping(
            holding,
            'hang-up',
            (context) => context.stream && !hasBegun(context) && isMeant(context),
          ),
      ),
    }),
  ),
  ...rows((where: RequestTest) => keeping('processor', 'hang-up', where), {
    'processor-back-after-hang-up: processors-leak-after-hang-ups': always,
    'processor-back-after-hang-up: processors-leak-after-stream-hang-ups': asStream,
  }),
  'processor-back-after-hang-up: processors-leak-after-hang-ups-in-the-queue': (rules) => {
    const left = new WeakSet<RequestContext>();
    return chained(
      replace('endOfWaiting', (_endOfWaiting, signal, context) => {
        const end = new AbortController();
        signal.addEventListener('abort', () => {
          if (signal.reason instanceof DeadlinePassed) end.abort(signal.reason);
          else if (context.stage === 'queue') left.add(context);
        });
        return end.signal;
      }),
      keeping('processor', 'hang-up', (context) => left.has(context)),
    )(rules);
  },
  'slots-free-when-idle: slots-of-the-plain-model-leak': (rules) => {
    let served = 0;
    return answering(
      (reply, { model }) => model === 'scripted-chat' && reply.status === 200 && ++served > 2,
      (reply) => refusal(reply, 'no_capacity'),
    )(rules);
  },
  ...gathered(
    [
      ['slot', onSlot],
      ['inflight', always],
    ],
    ([holding, isMeant]) => ({
      [`${holding}-back-after-error: ${holding}-leaks-after-cut-answers`]: once(
        'deadlineAt',
        (moment) => moment === 'head',
        (hasBegun) =>
          keeping(holding, 'failed', (context) => hasBegun(context) && isMeant(context)),
      ),
      ...rows(
        (isLost: (refused: boolean, context: RequestContext) => boolean) =>
          once('lostCode', isLost, (wasLost) =>
            keeping(holding, 'however', (context) => wasLost(context) && isMeant(context)),
          ),
        {
          [`${holding}-back-after-error: ${holding}-leaks-after-lost-engine-of-messages`]:
            onMessages,
          [`${holding}-back-after-error: ${holding}-leaks-after-lost-engine`]: (refused) =>
            !refused,
        },
      ),
    }),
  ),
});
