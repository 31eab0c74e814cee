/** Output that overran a daily budget: delivered, refunded, or cut where it must not be. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import { jsonIn, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering } from './answering.ts';
import { notingMaximum } from './named-maximum.ts';
import type { When } from './answering.ts';

const ID = 'router.token-limit-rules';
const REMAINING = 'X-RateLimit-Remaining-Tokens';
const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

/** Refusals that say that nothing remains: in the reference those of an overrun, and of a spent budget. */
const isOverrun: When = (reply, context) =>
  reply.status === 429 && hasBudget(context) && Buffer.from(reply.body).includes('no longer fits');

const overruns = declareFaults<RouterRules>([
  {
    name: 'overrun-delivered',
    summary: 'Delivers a completion that no longer fits the budget.',
    breaks: [`${ID}.overrun`],
    patch: (rules) => ({ ...rules, settles: () => true }),
  },
  {
    name: 'overrun-noticed-at-twice-the-budget',
    summary: 'Delivers a completion that overruns the budget by less than as much again.',
    breaks: [`${ID}.overrun`],
    patch: (rules) => ({
      ...rules,
      settles: (left, output, context) =>
        rules.settles(left + (context.key?.tokensPerDay ?? 0), output, context),
    }),
  },
  {
    name: 'overrun-unnoticed-where-a-maximum-was-named',
    summary: 'Delivers a completion that overruns the budget where the request named a maximum.',
    breaks: [`${ID}.overrun`],
    patch: (plain) => {
      const { rules, namesMaximum } = notingMaximum(plain);
      return {
        ...rules,
        settles: (left, output, context) =>
          namesMaximum(context) || rules.settles(left, output, context),
      };
    },
  },
  {
    name: 'completions-that-fit-are-free',
    summary: 'Books the output of a completion on the budget only when it alone overruns it.',
    breaks: [`${ID}.overrun`, `${ID}.up-front-what-is-left`],
    patch: (rules) => ({ ...rules, afterCompletion: (left) => left }),
  },
  {
    name: 'overrun-is-backend-error',
    summary: 'Says backend_error of a completion that no longer fits the budget.',
    breaks: [`${ID}.overrun`, 'router.retry-behaviour.token-limit-stops'],
    patch: (rules) => ({
      ...rules,
      overrun: () =>
        new RouterFailure('backend_error', 'over budget', { source: 'router', status: 500 }),
    }),
  },
  {
    name: 'overrun-shows-the-output',
    summary: 'Puts the beginning of the discarded output into the message.',
    breaks: [`${ID}.overrun-discards-output`],
    patch: (rules) => ({
      ...rules,
      overrun: (discarded) => {
        const choices = memberOf(jsonIn(discarded), 'choices');
        const text = JSON.stringify(choices ?? null).slice(0, 200);
        const { code, message, detail } = rules.overrun(discarded);
        return new RouterFailure(code, `${message}: ${text}`, detail);
      },
    }),
  },
  {
    name: 'overrun-says-nothing-of-the-rest',
    summary: 'Leaves out how many tokens remain after an overrun.',
    breaks: [`${ID}.overrun-remaining-zero`],
    patch: answering(isOverrun, (reply) => withHeader(reply, REMAINING, undefined)),
  },
  {
    name: 'overrun-says-tokens-remain',
    summary: 'Says after an overrun what remained before it.',
    breaks: [`${ID}.overrun-remaining-zero`],
    patch: answering(isOverrun, (reply, { key }) =>
      withHeader(reply, REMAINING, String((key?.tokensPerDay ?? 2) - 1)),
    ),
  },
  {
    name: 'overrun-tried-twice',
    summary: 'Asks the same engine again after an overrun.',
    breaks: [`${ID}.overrun-one-hit`, 'router.retry-behaviour.token-limit-stops'],
    patch: (rules) => {
      let again = false;
      return {
        ...rules,
        stops: (code, context) => {
          if (code === 'token_limit_exceeded') again = true;
          return code !== 'token_limit_exceeded' && rules.stops(code, context);
        },
        avoids: (failed, agent) => {
          if (!again) return rules.avoids(failed, agent);
          again = false;
          return false;
        },
      };
    },
  },
  {
    name: 'overrun-refunds-the-prompt',
    summary: 'Gives back what the prompt of an overrun cost.',
    breaks: [`${ID}.overrun-deduction-remains`],
    patch: (rules) => ({ ...rules, afterOverrun: (left, input) => left + input }),
  },
]);

/** Cuts a stream of a key with a budget after so many pieces. */
const PIECES = 20;

const streams = declareFaults<RouterRules>([
  {
    name: 'streams-of-limited-keys-are-206',
    summary: 'Answers streams of keys with a daily budget with 206.',
    breaks: [`${ID}.stream-overrun-status`],
    patch: answering(
      (reply, context) => reply.status === 200 && context.stream && hasBudget(context),
      (reply) => ({ ...reply, status: 206 }),
    ),
  },
  {
    name: 'stream-stopped-at-the-budget',
    summary: 'Drops what a stream writes beyond the budget.',
    breaks: [`${ID}.stream-overrun-delivered`],
    patch: (rules) => {
      const written = new WeakMap<RequestContext, number>();
      return {
        ...rules,
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
  {
    name: 'streams-are-free',
    summary: 'Does not account for the output of streams.',
    breaks: [`${ID}.stream-overrun-accounted`, `${ID}.stream-output-accounted`],
    patch: (rules) => ({ ...rules, afterStream: (left) => left }),
  },
  {
    name: 'streams-that-fit-are-free',
    summary: 'Accounts for a stream only where its output is more than what is left.',
    breaks: [`${ID}.stream-output-accounted`],
    patch: (rules) => ({
      ...rules,
      afterStream: (left, output) => (output <= left ? left : rules.afterStream(left, output)),
    }),
  },
  {
    name: 'any-stream-costs-the-budget',
    summary: 'Takes all that is left of the budget for any stream, however little it wrote.',
    breaks: [`${ID}.smaller-max-tokens`],
    patch: (rules) => ({ ...rules, afterStream: () => 0 }),
  },
  {
    name: 'stream-overrun-accounted-up-to-the-budget',
    summary: 'Does not account for a stream that overran the budget, and for others it does.',
    breaks: [`${ID}.stream-overrun-accounted`],
    patch: (rules) => ({
      ...rules,
      afterStream: (left, output) => (output > left ? left : rules.afterStream(left, output)),
    }),
  },
  {
    name: 'spent-budget-refuses-another-key',
    summary: 'Refuses another key once after a key has spent its tokens.',
    breaks: [`${ID}.budget-per-key`],
    patch: (rules) => {
      let spent = false;
      return {
        ...rules,
        afterStream: (left, output) => {
          spent ||= output > left;
          return rules.afterStream(left, output);
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
  },
  {
    name: 'budgets-in-one-pool',
    summary: 'Books the daily tokens of all limited keys in one place.',
    breaks: [`${ID}.budget-per-key`],
    patch: (rules) => ({
      ...rules,
      account: (key, model) =>
        key.tokensPerDay === undefined ? rules.account(key, model) : 'limited keys',
    }),
  },
]);

export const tokenOverrunFaults = [...overruns, ...streams] as const;
