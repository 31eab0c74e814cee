/** Daily token budgets that do not hold, or are refunded. */

import { type RequestContext, RouterFailure } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable, forces, on, refusal, replace } from './words.ts';
import { hasBudget, refusingLate } from './words-limits.ts';

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

/** Requests that name max_completion_tokens. */
const completing = new WeakSet<RequestContext>();

export const tokenLimitRulesFaults = faultTable('router.token-limit-rules', {
  'sum-too-large: budget-checks-no-sum': replace(
    'fitsBudget',
    (_original, remaining, input, output) => input <= remaining && output <= remaining,
  ),
  'max-tokens-too-large + up-front-reaches-no-engine + stream-up-front: max-tokens-not-counted':
    blindTo('max_tokens'),
  'max-tokens-too-large: budget-refusal-is-input-too-long': {
    besides: ['max-completion-tokens-too-large', 'prompt-too-large', 'stream-up-front'],
    patch: replace('fitsBudget', (original, left, input, output, context) => {
      if (original(left, input, output, context)) return true;
      throw new RouterFailure('input_too_long', 'insufficient daily token budget');
    }),
  },
  'budget-on-messages: messages-skip-the-budget': forces(
    'fitsBudget',
    true,
    on({ path: '/v1/messages' }),
  ),
  'max-completion-tokens-too-large: max-completion-tokens-not-counted':
    blindTo('max_completion_tokens'),
  'max-completion-tokens-too-large: budget-refusal-is-rate-limit': (rules) => ({
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
  'up-front-what-is-left: budget-compared-whole': replace(
    'fitsBudget',
    (original, _left, input, output, context) =>
      original(context.key?.tokensPerDay ?? Infinity, input, output, context),
  ),
  'prompt-too-large: prompt-not-counted': replace(
    'fitsBudget',
    (original, left, _input, output, context) => original(left, 0, output, context),
  ),
  'up-front-reaches-no-engine: budget-looked-at-late': refusingLate(
    (rules, mark) => ({
      fitsBudget: (left, input, output, context) => {
        if (!rules.fitsBudget(left, input, output, context)) mark(context);
        return true;
      },
    }),
    (reply) => refusal(reply, 429, 'token_limit_exceeded'),
  ),
  'smaller-max-tokens: max-tokens-refusal-lasts': {
    says: 'Keeps refusing a key that once asked for more output than its budget.',
    besides: ['smaller-max-completion-tokens'],
    patch: holdingAGrudge((input, _output, left) => input <= left),
  },
  'smaller-max-tokens: any-stream-costs-the-budget': () => ({ afterStream: () => 0 }),
  'smaller-max-completion-tokens: small-max-completion-tokens-refused': replace(
    'requestedOutput',
    (original, body, context) => {
      const named = body['max_completion_tokens'];
      return hasBudget(context) && typeof named === 'number'
        ? named * 1_000
        : original(body, context);
    },
  ),
  'smaller-prompt: long-prompt-refusal-lasts': holdingAGrudge(
    (input, _output, left) => input > left,
  ),
  'budget-back-next-day: budget-is-for-ever': {
    clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
    patch: () => ({ dayOf: () => 'one day' }),
  },
  'budget-back-next-day: budget-day-ends-an-hour-late': {
    clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
    patch: replace('dayOf', (original, now) => original(now - 3_600_000)),
  },
  'budget-per-key: spent-budget-refuses-another-key': (rules) => {
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
  'budget-per-key: budgets-in-one-pool': forces(
    'account',
    'limited keys',
    (key) => key.tokensPerDay !== undefined,
  ),
});
