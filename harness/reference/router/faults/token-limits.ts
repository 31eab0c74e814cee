/** Daily token budgets that do not hold, are refunded, or reach into streams. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import { jsonIn, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, refusal } from './answering.ts';
import type { When } from './answering.ts';
import { refusingLate } from './late.ts';

const ID = 'router.token-limit-rules';
const REMAINING = 'X-RateLimit-Remaining-Tokens';
const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

/** Refusals that say that nothing remains: in the reference those of an overrun, and of a spent budget. */
const isOverrun: When = (reply, context) =>
  reply.status === 429 && hasBudget(context) && Buffer.from(reply.body).includes('no longer fits');

/** Asks as if a member of the request were not there. */
function blindTo(member: string) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    requestedOutput: (body, context) =>
      rules.requestedOutput(hasBudget(context) ? { ...body, [member]: undefined } : body, context),
  });
}

/** Keeps refusing a key whose request did not fit, whatever it asks for later. */
function holdingAGrudge(test: (input: number, output: number, left: number) => boolean) {
  return (rules: RouterRules): RouterRules => {
    const refused = new Set<string>();
    return {
      ...rules,
      fitsBudget: (left, input, output, context) => {
        const name = context.key?.name ?? '';
        if (refused.has(name)) return false;
        const fits = rules.fitsBudget(left, input, output, context);
        if (!fits && test(input, output, left)) refused.add(name);
        return fits;
      },
    };
  };
}

const upFront = declareFaults<RouterRules>([
  {
    name: 'max-tokens-not-counted',
    summary: 'Looks at max_completion_tokens alone when it checks a budget.',
    breaks: [
      `${ID}.max-tokens-too-large`,
      `${ID}.up-front-reaches-no-engine`,
      `${ID}.stream-up-front`,
    ],
    patch: blindTo('max_tokens'),
  },
  {
    name: 'max-completion-tokens-not-counted',
    summary: 'Looks at max_tokens alone when it checks a budget.',
    breaks: [`${ID}.max-completion-tokens-too-large`],
    patch: blindTo('max_completion_tokens'),
  },
  {
    name: 'prompt-not-counted',
    summary: 'Looks at the requested output alone when it checks a budget.',
    breaks: [`${ID}.prompt-too-large`],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (left, _input, output, context) => rules.fitsBudget(left, 0, output, context),
    }),
  },
  {
    name: 'budget-looked-at-late',
    summary: 'Asks an engine before it refuses what does not fit a budget.',
    breaks: [`${ID}.up-front-reaches-no-engine`],
    patch: refusingLate(
      (rules, mark) => ({
        fitsBudget: (left, input, output, context) => {
          if (!rules.fitsBudget(left, input, output, context)) mark(context);
          return true;
        },
      }),
      (reply) => refusal(reply, 429, 'token_limit_exceeded'),
    ),
  },
  {
    name: 'max-tokens-refusal-lasts',
    summary: 'Keeps refusing a key that once asked for more output than its budget.',
    breaks: [`${ID}.smaller-max-tokens`, `${ID}.smaller-max-completion-tokens`],
    patch: holdingAGrudge((input, _output, left) => input <= left),
  },
  {
    name: 'small-max-completion-tokens-refused',
    summary: 'Takes max_completion_tokens for thousands when it checks a budget.',
    breaks: [`${ID}.smaller-max-completion-tokens`],
    patch: (rules) => ({
      ...rules,
      requestedOutput: (body, context) => {
        const named = body['max_completion_tokens'];
        return hasBudget(context) && typeof named === 'number'
          ? named * 1_000
          : rules.requestedOutput(body, context);
      },
    }),
  },
  {
    name: 'long-prompt-refusal-lasts',
    summary: 'Keeps refusing a key that once sent a prompt larger than its budget.',
    breaks: [`${ID}.smaller-prompt`],
    patch: holdingAGrudge((input, _output, left) => input > left),
  },
  {
    name: 'streams-skip-the-budget',
    summary: 'Does not check a budget before a stream.',
    breaks: [`${ID}.stream-up-front`],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (left, input, output, context) =>
        context.stream || rules.fitsBudget(left, input, output, context),
    }),
  },
  {
    name: 'budget-refusal-is-rate-limit',
    summary: 'Says rate_limit_exceeded when max_completion_tokens does not fit a budget.',
    breaks: [`${ID}.max-completion-tokens-too-large`],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (left, input, output, context) => {
        const fits = rules.fitsBudget(left, input, output, context);
        if (!fits && completing.has(context))
          throw new RouterFailure('rate_limit_exceeded', 'over budget', { quota: 'bucket' });
        return fits;
      },
      requestedOutput: (body, context) => {
        if (typeof body['max_completion_tokens'] === 'number') completing.add(context);
        return rules.requestedOutput(body, context);
      },
    }),
  },
]);

/** Requests that name max_completion_tokens. */
const completing = new WeakSet<RequestContext>();

const overruns = declareFaults<RouterRules>([
  {
    name: 'overrun-delivered',
    summary: 'Delivers a completion that no longer fits the budget.',
    breaks: [`${ID}.overrun`],
    patch: (rules) => ({ ...rules, settles: () => true }),
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
    breaks: [`${ID}.stream-overrun-accounted`],
    patch: (rules) => ({ ...rules, afterStream: (left) => left }),
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
]);

export const tokenLimitFaults = [...upFront, ...overruns, ...streams] as const;
