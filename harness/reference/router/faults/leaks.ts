/** What a request held and what does not come back, on one kind of ending. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Ending, Holding, RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, refusal } from './answering.ts';

const ID = 'router.admission';

/** Forgets to give one kind of thing back. */
function leaking(
  leaked: Holding,
  when: (ending: Ending, context: RequestContext) => boolean,
): (rules: RouterRules) => RouterRules {
  return (rules) => ({
    ...rules,
    release: (holding, ending, free, context) => {
      if (holding !== leaked || !when(ending, context))
        rules.release(holding, ending, free, context);
    },
  });
}

const onSlot = ({ model }: RequestContext): boolean => model === 'scripted-slot';

const slots = (
  [
    ['success', 'slot-back-after-success', 'a request that was answered'],
    ['failed', 'slot-back-after-error', 'a request that its engine refused'],
    ['stream-failed', 'slot-back-after-stream-failure', 'a stream whose engine was lost'],
    ['timeout', 'slot-back-after-timeout', 'a request that ran into the deadline'],
  ] as const
).map(([ending, slug, what]): Fault<RouterRules> => ({
  name: `slot-leaks-after-${ending}`,
  summary: `Forgets the slot of ${what}.`,
  breaks: [`${ID}.${slug}`],
  patch: leaking('slot', (ended, context) => ended === ending && onSlot(context)),
}));

const ofStreams: readonly Fault<RouterRules>[] = [
  {
    name: 'slot-leaks-after-refused-stream',
    summary: 'Forgets the slot of a stream that its engine refused before it began.',
    breaks: [`${ID}.slot-back-after-error`],
    patch: leaking(
      'slot',
      (ended, context) => ended === 'failed' && context.stream && onSlot(context),
    ),
  },
  {
    name: 'inflight-leaks-after-stream-failed',
    summary: 'Forgets the place in flight of a stream whose engine was lost.',
    breaks: [`${ID}.inflight-back-after-error`],
    patch: leaking('inflight', (ended) => ended === 'stream-failed'),
  },
  {
    name: 'slot-leaks-after-broken-messages-stream',
    summary: 'Forgets the slot of a stream on the messages route whose engine was lost.',
    breaks: [`${ID}.slot-back-after-stream-failure`],
    patch: leaking(
      'slot',
      (ended, context) =>
        ended === 'stream-failed' && onSlot(context) && context.path === '/v1/messages',
    ),
  },
  {
    name: 'inflight-leaks-after-stream-hang-up',
    summary: 'Forgets the place in flight of a stream whose client hung up.',
    breaks: [`${ID}.places-free-when-idle`, `${ID}.inflight-back-after-hang-up`],
    patch: leaking('inflight', (ended, { stream }) => ended === 'hang-up' && stream),
  },
  {
    name: 'inflight-leaks-after-parked-hang-up',
    summary: 'Goes on parking for a client that hung up, and keeps the place that it gets then.',
    breaks: [`${ID}.inflight-back-after-hang-up`],
    patch: (rules) => ({
      ...leaking('inflight', (ended, { stage }) => ended === 'hang-up' && stage === 'queue')(rules),
      endOfParking: () => new AbortController().signal,
    }),
  },
  {
    name: 'inflight-leaks-after-timeout',
    summary: 'Forgets the place in flight of a request that ran into the deadline.',
    breaks: [`${ID}.inflight-back-after-timeout`],
    patch: leaking('inflight', (ended) => ended === 'timeout'),
  },
  ...(
    [
      ['slot', 'a slot', onSlot],
      ['inflight', 'a place in flight', () => true],
    ] as const
  ).map(([leaked, what, isMeant]): Fault<RouterRules> => ({
    name: `${leaked}-leaks-after-lost-engine`,
    summary: `Forgets ${what} of a request whose engine was lost before it answered.`,
    breaks: [`${ID}.${leaked}-back-after-error`],
    patch: (rules) => {
      let isLost = false;
      const lost = new WeakSet<RequestContext>();
      return {
        ...leaking(leaked, (_ended, context) => lost.has(context) && isMeant(context))(rules),
        lostCode: (refused) => {
          isLost = !refused;
          return rules.lostCode(refused);
        },
        // The next to be looked at is the one whose engine was lost.
        stops: (code, context) => {
          if (isLost) lost.add(context);
          isLost = false;
          return rules.stops(code, context);
        },
      };
    },
  })),
];

const places = (
  [
    ['success', 'inflight-back-after-success'],
    ['failed', 'inflight-back-after-error'],
    ['hang-up', 'inflight-back-after-hang-up'],
  ] as const
).map(([ending, slug]): Fault<RouterRules> => ({
  name: `inflight-leaks-after-${ending}`,
  summary: `Forgets the place in flight of a request that ended by ${ending}.`,
  breaks: [`${ID}.${slug}`],
  patch: leaking('inflight', (ended) => ended === ending),
}));

const placesByRoute = (
  [
    ['failed', 'inflight-back-after-error', 'was refused by its engine'],
    ['hang-up', 'inflight-back-after-hang-up', 'was left by its client'],
  ] as const
).map(([ending, slug, what]): Fault<RouterRules> => ({
  name: `inflight-leaks-after-count-tokens-${ending}`,
  summary: `Forgets the place in flight of a request for a count of tokens that ${what}.`,
  breaks: [`${ID}.${slug}`],
  patch: leaking(
    'inflight',
    (ended, { path }) => ended === ending && path === '/v1/messages/count_tokens',
  ),
}));

/** What requests weigh, kept on endings that are not an answer in one piece. */
const weights = (
  [
    ['occupancy', 'occupancy-back', 'Forgets the tokens that'],
    ['share', 'serverless-share-back', 'Forgets the share that'],
  ] as const
).flatMap(([leaked, slug, forgets]) =>
  (
    [
      ['failed', false, 'a request took whose engine refused it'],
      ['success', true, 'a stream took that was answered'],
      ['hang-up', false, 'a request took whose client hung up'],
    ] as const
  ).map(([ending, streamed, what]): Fault<RouterRules> => ({
    name: `${leaked}-leaks-after-${streamed ? 'streams' : ending}`,
    summary: `${forgets} ${what}.`,
    breaks: [`${ID}.${slug}`],
    patch: leaking(leaked, (ended, { stream }) => ended === ending && stream === streamed),
  })),
);

/** Bytes of a stream beyond which its client is slower than the router. */
const LONG_STREAM = 50_000;

export const leakFaults: readonly Fault<RouterRules>[] = declareFaults<RouterRules>([
  ...slots,
  ...placesByRoute,
  {
    name: 'slot-leaks-when-a-stream-hangs-up',
    summary: 'Forgets the slot of a stream whose client hung up.',
    breaks: [`${ID}.slot-back-after-stream-hang-up`, `${ID}.slots-free-when-idle`],
    patch: leaking(
      'slot',
      (ending, context) => ending === 'hang-up' && context.stream && onSlot(context),
    ),
  },
  {
    name: 'slot-leaks-when-a-long-stream-hangs-up',
    summary: 'Forgets the slot of a stream of which much was written when its client hung up.',
    breaks: [`${ID}.slot-back-after-stream-hang-up`, `${ID}.slots-free-when-idle`],
    patch: (rules) => {
      const written = new WeakMap<RequestContext, number>();
      const isLong = (context: RequestContext): boolean =>
        (written.get(context) ?? 0) > LONG_STREAM;
      return leaking(
        'slot',
        (ending, context) => ending === 'hang-up' && isLong(context),
      )({
        ...rules,
        streamPiece: (piece, index, context) => {
          written.set(context, (written.get(context) ?? 0) + piece.length);
          return rules.streamPiece(piece, index, context);
        },
      });
    },
  },
  ...ofStreams,
  ...places,
  ...weights,
  {
    name: 'occupancy-leaks',
    summary: 'Forgets the tokens that requests occupied.',
    breaks: [`${ID}.occupancy-back`],
    patch: leaking('occupancy', () => true),
  },
  {
    name: 'serverless-share-leaks',
    summary: 'Forgets the share that requests took beside one that was refused for it.',
    breaks: [`${ID}.serverless-share-back`],
    patch: (rules) => {
      // From the first refusal on, so that nothing else of the key is in the way of being seen.
      let refused = false;
      const leaky = leaking('share', () => refused)(rules);
      return {
        ...leaky,
        withinShare: (used, weight, share, context) => {
          const within = rules.withinShare(used, weight, share, context);
          refused ||= !within;
          return within;
        },
      };
    },
  },
  {
    name: 'serverless-share-never-back',
    summary: 'Forgets the share that requests took.',
    breaks: [`${ID}.serverless-share-back`],
    patch: leaking('share', () => true),
  },
  {
    name: 'processors-leak-after-hang-ups',
    summary: 'Forgets the processor of a request whose client hung up.',
    breaks: [`${ID}.processor-back-after-hang-up`],
    patch: leaking('processor', (ending) => ending === 'hang-up'),
  },
  {
    name: 'processors-leak-after-stream-hang-ups',
    summary: 'Forgets the processor of a stream whose client hung up.',
    breaks: [`${ID}.processor-back-after-hang-up`],
    patch: leaking('processor', (ending, { stream }) => ending === 'hang-up' && stream),
  },
  {
    name: 'slots-of-the-plain-model-leak',
    summary: 'Takes every slot for full once the plain model has been served twice.',
    breaks: [`${ID}.slots-free-when-idle`],
    patch: (rules) => {
      let served = 0;
      return answering(
        (reply, { model }) => {
          if (model !== 'scripted-chat' || reply.status !== 200) return false;
          served += 1;
          return served > 2;
        },
        (reply) => refusal(reply, 503, 'no_capacity'),
      )(rules);
    },
  },
  {
    name: 'slot-leaks-under-concurrency',
    summary: 'Forgets a slot when another request was refused while it was taken.',
    breaks: [`${ID}.slot-back-after-success`],
    patch: (rules) => {
      let refusedMeanwhile = false;
      return {
        ...rules,
        finalFailure: (journey, context) => {
          if (journey.full && onSlot(context)) refusedMeanwhile = true;
          return rules.finalFailure(journey, context);
        },
        release: (holding, ending, free, context) => {
          const leaks =
            holding === 'slot' && ending === 'success' && onSlot(context) && refusedMeanwhile;
          if (!leaks) rules.release(holding, ending, free, context);
        },
      };
    },
  },
]);
