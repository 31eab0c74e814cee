/** Output that overran a daily budget: delivered, refunded, or cut where it must not be. */

import { withHeader } from '../../http.ts';
import { jsonIn, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  faultTable,
  namesMaximum,
  replace,
  unless,
  type When,
} from './answering.ts';

const REMAINING = 'X-RateLimit-Remaining-Tokens';
const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

/** Refusals that say that nothing remains: in the reference those of an overrun, and of a spent budget. */
const isOverrun: When = (reply, context) =>
  reply.status === 429 && hasBudget(context) && Buffer.from(reply.body).includes('no longer fits');

const overruns = faultTable({
  'router.token-limit-rules.overrun': {
    'overrun-delivered': {
      says: 'Delivers a completion that no longer fits the budget.',
      patch: () => ({ settles: () => true }),
    },
    'overrun-noticed-at-twice-the-budget': replace('settles', (original, left, output, context) =>
      original(left + (context.key?.tokensPerDay ?? 0), output, context),
    ),
    'overrun-unnoticed-where-a-maximum-was-named': unless(
      'settles',
      (_left, _output, context) => namesMaximum(context),
      true,
    ),
    'completions-that-fit-are-free': {
      says: 'Books the output of a completion on the budget only when it alone overruns it.',
      besides: ['router.token-limit-rules.up-front-what-is-left'],
      patch: () => ({ afterCompletion: (left) => left }),
    },
    'overrun-is-backend-error': {
      besides: ['router.retry-behaviour.token-limit-stops'],
      patch: () => ({
        overrun: () =>
          new RouterFailure('backend_error', 'over budget', { source: 'router', status: 500 }),
      }),
    },
  },
  'router.token-limit-rules.overrun-discards-output': {
    'overrun-shows-the-output': {
      says: 'Puts the beginning of the discarded output into the message.',
      patch: amend('overrun', ({ code, message, detail }, discarded) => {
        const choices = memberOf(jsonIn(discarded), 'choices');
        const text = JSON.stringify(choices ?? null).slice(0, 200);
        return new RouterFailure(code, `${message}: ${text}`, detail);
      }),
    },
  },
  'router.token-limit-rules.overrun-remaining-zero': {
    'overrun-says-nothing-of-the-rest': {
      says: 'Leaves out how many tokens remain after an overrun.',
      patch: answering(isOverrun, (reply) => withHeader(reply, REMAINING, undefined)),
    },
    'overrun-says-tokens-remain': answering(isOverrun, (reply, { key }) =>
      withHeader(reply, REMAINING, String((key?.tokensPerDay ?? 2) - 1)),
    ),
  },
  'router.token-limit-rules.overrun-one-hit': {
    'overrun-tried-twice': {
      says: 'Asks the same engine again after an overrun.',
      besides: ['router.retry-behaviour.token-limit-stops'],
      patch: (rules) => {
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
    },
  },
  'router.token-limit-rules.overrun-deduction-remains': {
    'overrun-refunds-the-prompt': () => ({ afterOverrun: (left, input) => left + input }),
  },
});

/** Cuts a stream of a key with a budget after so many pieces. */
const PIECES = 20;

const streams = faultTable({
  'router.token-limit-rules.stream-overrun-status': {
    'streams-of-limited-keys-are-206': answering(
      (reply, context) => reply.status === 200 && context.stream && hasBudget(context),
      (reply) => ({ ...reply, status: 206 }),
    ),
  },
  'router.token-limit-rules.stream-overrun-delivered': {
    'stream-stopped-at-the-budget': (rules) => {
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
  },
  'router.token-limit-rules.stream-overrun-accounted': {
    'streams-are-free': {
      says: 'Does not account for the output of streams.',
      besides: ['router.token-limit-rules.stream-output-accounted'],
      patch: () => ({ afterStream: (left) => left }),
    },
    'stream-overrun-accounted-up-to-the-budget': unless(
      'afterStream',
      (left, output) => output > left,
      (left) => left,
    ),
  },
  'router.token-limit-rules.stream-output-accounted': {
    'streams-that-fit-are-free': {
      says: 'Accounts for a stream only where its output is more than what is left.',
      patch: unless(
        'afterStream',
        (left, output) => output <= left,
        (left) => left,
      ),
    },
  },
  'router.token-limit-rules.smaller-max-tokens': {
    'any-stream-costs-the-budget': () => ({ afterStream: () => 0 }),
  },
  'router.token-limit-rules.budget-per-key': {
    'spent-budget-refuses-another-key': (rules) => {
      let spent = false;
      return {
        afterStream: (left, output, context) => {
          spent ||= output > left;
          return rules.afterStream(left, output, context);
        },
        requestedOutput: (body, context) => {
          const output = rules.requestedOutput(body, context);
          if (!spent || context.key?.name !== 'client' || output !== 8) return output;
          throw new RouterFailure('token_limit_exceeded', 'no tokens are left', {
            quota: 'budget',
          });
        },
      };
    },
    'budgets-in-one-pool': {
      says: 'Books the daily tokens of all limited keys in one place.',
      patch: unless('account', (key) => key.tokensPerDay !== undefined, 'limited keys'),
    },
  },
});

export const tokenOverrunFaults = [...overruns, ...streams] as const;
