/** Daily token budgets that do not hold, are refunded, or reach into streams. */

import { type RequestContext, RouterFailure } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import type { RouterRules } from '../rules/rules.ts';
import { replace, unless, faultTable, refusal } from './answering.ts';
import { refusingLate } from './late.ts';

const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

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

export const tokenLimitFaults = faultTable({
  'router.token-limit-rules.max-tokens-too-large': {
    'max-tokens-not-counted': {
      besides: [
        'router.token-limit-rules.up-front-reaches-no-engine',
        'router.token-limit-rules.stream-up-front',
      ],
      patch: blindTo('max_tokens'),
    },
    'budget-refusal-is-input-too-long': {
      besides: [
        'router.token-limit-rules.max-completion-tokens-too-large',
        'router.token-limit-rules.prompt-too-large',
        'router.token-limit-rules.stream-up-front',
      ],
      patch: replace('fitsBudget', (original, left, input, output, context) => {
        if (original(left, input, output, context)) return true;
        throw new RouterFailure('input_too_long', 'insufficient daily token budget');
      }),
    },
  },
  'router.token-limit-rules.budget-on-messages': {
    'messages-skip-the-budget': unless(
      'fitsBudget',
      (_remaining, _input, _output, context) => context.path === '/v1/messages',
      true,
    ),
  },
  'router.token-limit-rules.max-completion-tokens-too-large': {
    'max-completion-tokens-not-counted': blindTo('max_completion_tokens'),
    'budget-refusal-is-rate-limit': (rules) => ({
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
  'router.token-limit-rules.up-front-what-is-left': {
    'budget-compared-whole': replace('fitsBudget', (original, _left, input, output, context) =>
      original(context.key?.tokensPerDay ?? Infinity, input, output, context),
    ),
  },
  'router.token-limit-rules.prompt-too-large': {
    'prompt-not-counted': {
      says: 'Looks at the requested output alone when it checks a budget.',
      patch: replace('fitsBudget', (original, left, _input, output, context) =>
        original(left, 0, output, context),
      ),
    },
  },
  'router.token-limit-rules.up-front-reaches-no-engine': {
    'budget-looked-at-late': {
      says: 'Asks an engine before it refuses what does not fit a budget.',
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
  },
  'router.token-limit-rules.smaller-max-tokens': {
    'max-tokens-refusal-lasts': {
      says: 'Keeps refusing a key that once asked for more output than its budget.',
      besides: ['router.token-limit-rules.smaller-max-completion-tokens'],
      patch: holdingAGrudge((input, _output, left) => input <= left),
    },
  },
  'router.token-limit-rules.smaller-max-completion-tokens': {
    'small-max-completion-tokens-refused': replace('requestedOutput', (original, body, context) => {
      const named = body['max_completion_tokens'];
      return hasBudget(context) && typeof named === 'number'
        ? named * 1_000
        : original(body, context);
    }),
  },
  'router.token-limit-rules.smaller-prompt': {
    'long-prompt-refusal-lasts': holdingAGrudge((input, _output, left) => input > left),
  },
  'router.token-limit-rules.budget-back-next-day': {
    'budget-is-for-ever': {
      clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
      patch: () => ({ dayOf: () => 'one day' }),
    },
    'budget-day-ends-an-hour-late': {
      clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
      patch: replace('dayOf', (original, now) => original(now - 3_600_000)),
    },
  },
  'router.token-limit-rules.stream-up-front': {
    'streams-skip-the-budget': unless(
      'fitsBudget',
      (_left, _input, _output, context) => context.stream,
      true,
    ),
  },
});

/** Requests that name max_completion_tokens. */
const completing = new WeakSet<RequestContext>();
