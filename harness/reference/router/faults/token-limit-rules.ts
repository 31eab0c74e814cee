/** Daily token budgets that do not hold, or are refunded. */

import { RouterFailure } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';

import {
  amend,
  before,
  chained,
  faultTable,
  forces,
  on,
  type Patch,
  refusal,
  replace,
} from './words.ts';
import { hasBudget, late } from './words-limits.ts';

/** Asks as if a member of the request were not there. */
function blindTo(member: string): Patch {
  return (rules) => ({
    requestedOutput: (body, context) =>
      rules.requestedOutput(hasBudget(context) ? { ...body, [member]: undefined } : body, context),
  });
}

/** Keeps refusing a key whose request did not fit, whatever it asks for later. */
function holdingAGrudge(test: (input: number, output: number, left: number) => boolean): Patch {
  return (rules) => {
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

export const tokenLimitRulesFaults = faultTable('router.token-limit-rules', {
  'sum-too-large: budget-checks-no-sum': replace(
    'fitsBudget',
    (_original, remaining, input, output) => input <= remaining && output <= remaining,
  ),
  'max-tokens-too-large + up-front-reaches-no-engine + stream-up-front: max-tokens-not-counted':
    blindTo('max_tokens'),
  'max-tokens-too-large: budget-refusal-is-input-too-long': {
    besides: ['max-completion-tokens-too-large', 'prompt-too-large', 'stream-up-front'],
    patch: amend('fitsBudget', (fits) => {
      if (fits) return true;
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
  'max-completion-tokens-too-large: budget-refusal-is-rate-limit': amend(
    'fitsBudget',
    (fits, _left, _input, _output, { body }) => {
      if (fits || typeof body?.['max_completion_tokens'] !== 'number') return fits;
      throw new RouterFailure('rate_limit_exceeded', 'over budget', { quota: 'bucket' });
    },
  ),
  'up-front-what-is-left: budget-compared-whole': replace(
    'fitsBudget',
    (original, _left, input, output, context) =>
      original(context.key?.tokensPerDay ?? Infinity, input, output, context),
  ),
  'prompt-too-large: prompt-not-counted': replace(
    'fitsBudget',
    (original, left, _input, output, context) => original(left, 0, output, context),
  ),
  'up-front-reaches-no-engine: budget-looked-at-late': late('fitsBudget', false, (reply) =>
    refusal(reply, 429, 'token_limit_exceeded'),
  ),
  'smaller-max-tokens: max-tokens-refusal-lasts': {
    says: 'Keeps refusing a key that once asked for more output than its budget.',
    besides: ['smaller-max-completion-tokens'],
    patch: holdingAGrudge((input, _output, left) => input <= left),
  },
  'smaller-max-tokens: any-stream-costs-the-budget': () => ({ afterStream: () => 0 }),
  'smaller-max-completion-tokens: small-max-completion-tokens-refused': forces(
    'requestedOutput',
    (body) => Number(body['max_completion_tokens']) * 1_000,
    (body, context) => hasBudget(context) && typeof body['max_completion_tokens'] === 'number',
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
    let isSpent = false;
    return chained(
      before('afterStream', (left, output) => {
        isSpent ||= output > left;
      }),
      amend('requestedOutput', (output, _body, { key }) => {
        if (!isSpent || key?.name !== 'client' || output !== 8) return output;
        throw new RouterFailure('token_limit_exceeded', 'no tokens are left', { quota: 'budget' });
      }),
    )(rules);
  },
  'budget-per-key: budgets-in-one-pool': forces(
    'account',
    'limited keys',
    (key) => key.tokensPerDay !== undefined,
  ),
});
