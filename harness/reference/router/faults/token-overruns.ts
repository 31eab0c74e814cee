/** Output that overran a daily budget: delivered, refunded, or cut where it must not be. */

import { jsonIn, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import { withHeader } from '../../http.ts';
import {
  amend,
  answering,
  asStream,
  faultTable,
  forces,
  namesMaximum,
  replace,
  TOKENS,
  type When,
} from './words.ts';
import { hasBudget } from './words-limits.ts';

/** Refusals that say that nothing remains: in the reference those of an overrun, and of a spent budget. */
const isOverrun: When = (reply, context) =>
  reply.status === 429 && hasBudget(context) && Buffer.from(reply.body).includes('no longer fits');

/** Cuts a stream of a key with a budget after so many pieces. */
const PIECES = 20;

export const tokenOverrunsFaults = faultTable('router.token-limit-rules', {
  'stream-up-front: max-completion-tokens-overlooked-in-streams': forces(
    'requestedOutput',
    undefined,
    (body, context) => asStream(context) && body['max_tokens'] === undefined,
  ),
  'stream-up-front: long-prompts-fit-in-streams': forces(
    'estimateInput',
    1,
    (_body, context) => asStream(context) && context.key?.tokensPerDay !== undefined,
  ),
  'overrun: overrun-noticed-at-twice-the-budget': replace(
    'settles',
    (original, left, output, context) =>
      original(left + (context.key?.tokensPerDay ?? 0), output, context),
  ),
  'overrun: overrun-unnoticed-where-a-maximum-was-named': forces(
    'settles',
    true,
    (_left, _output, context) => namesMaximum(context),
  ),
  'overrun: completions-that-fit-are-free': {
    says: 'Books the output of a completion on the budget only when it alone overruns it.',
    besides: ['up-front-what-is-left'],
    patch: () => ({ afterCompletion: (left) => left }),
  },
  'overrun + router.retry-behaviour.token-limit-stops: overrun-is-backend-error': () => ({
    overrun: () =>
      new RouterFailure('backend_error', 'over budget', { source: 'router', status: 500 }),
  }),
  'overrun-discards-output: overrun-shows-the-output': amend(
    'overrun',
    ({ code, message, detail }, discarded) => {
      const choices = memberOf(jsonIn(discarded), 'choices');
      const text = JSON.stringify(choices ?? null).slice(0, 200);
      return new RouterFailure(code, `${message}: ${text}`, detail);
    },
  ),
  'overrun-remaining-zero: overrun-says-nothing-of-the-rest': answering(isOverrun, (reply) =>
    withHeader(reply, TOKENS, undefined),
  ),
  'overrun-remaining-zero: overrun-says-tokens-remain': answering(isOverrun, (reply, { key }) =>
    withHeader(reply, TOKENS, String((key?.tokensPerDay ?? 2) - 1)),
  ),
  'overrun-one-hit + router.retry-behaviour.token-limit-stops: overrun-tried-twice': (rules) => {
    const again = new WeakSet<RequestContext>();
    return {
      stops: (code, context) => {
        if (code === 'token_limit_exceeded') again.add(context);
        return code !== 'token_limit_exceeded' && rules.stops(code, context);
      },
      avoids: (failed, agent, context) =>
        !again.delete(context) && rules.avoids(failed, agent, context),
    };
  },
  'overrun-deduction-remains: overrun-refunds-the-prompt': () => ({
    afterOverrun: (left, input) => left + input,
  }),
  'stream-overrun-status: streams-of-limited-keys-are-206': answering(
    (reply, context) => reply.status === 200 && context.stream && hasBudget(context),
    (reply) => ({ ...reply, status: 206 }),
  ),
  'stream-overrun-delivered: stream-stopped-at-the-budget': (rules) => {
    const written = new WeakMap<RequestContext, number>();
    return {
      streamPiece: (piece, index, context) => {
        const sum = (written.get(context) ?? 0) + piece.byteLength;
        written.set(context, sum);
        const most = context.key?.tokensPerDay ?? Infinity;
        return sum > 4 * most || (hasBudget(context) && index >= PIECES)
          ? new Uint8Array()
          : rules.streamPiece(piece, index, context);
      },
    };
  },
  'stream-overrun-accounted + stream-output-accounted: streams-are-free': () => ({
    afterStream: (left) => left,
  }),
  'stream-overrun-accounted: stream-overrun-accounted-up-to-the-budget': forces(
    'afterStream',
    (left) => left,
    (left, output) => output > left,
  ),
  'stream-output-accounted: streams-that-fit-are-free': {
    says: 'Accounts for a stream only where its output is more than what is left.',
    patch: forces(
      'afterStream',
      (left) => left,
      (left, output) => output <= left,
    ),
  },
});
