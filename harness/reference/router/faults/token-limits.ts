/** Daily token budgets that do not hold, are refunded, or reach into streams. */

import { declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../late-clock.ts';
import type { RouterRules } from '../rules/rules.ts';
import { refusal } from './answering.ts';
import { refusingLate } from './late.ts';

const ID = 'router.token-limit-rules';
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

export const tokenLimitFaults = declareFaults<RouterRules>([
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
    name: 'budget-compared-whole',
    summary:
      'Compares what a request asks for with the whole budget and not with what is left of it.',
    breaks: [`${ID}.up-front-what-is-left`],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (_left, input, output, context) =>
        rules.fitsBudget(context.key?.tokensPerDay ?? Infinity, input, output, context),
    }),
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
    name: 'budget-refusal-is-input-too-long',
    summary: 'Calls what does not fit a budget an input that is too long.',
    breaks: [
      `${ID}.max-tokens-too-large`,
      `${ID}.max-completion-tokens-too-large`,
      `${ID}.prompt-too-large`,
      `${ID}.stream-up-front`,
    ],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (left, input, output, context) => {
        if (rules.fitsBudget(left, input, output, context)) return true;
        throw new RouterFailure('input_too_long', 'insufficient daily token budget');
      },
    }),
  },
  {
    name: 'budget-is-for-ever',
    summary: 'Never gives a spent budget back.',
    breaks: [`${ID}.budget-back-next-day`],
    patch: (rules) => ({ ...rules, dayOf: () => 'one day' }),
    clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
  },
  {
    name: 'budget-day-ends-an-hour-late',
    summary: 'Gives budgets back at midnight an hour west of UTC.',
    breaks: [`${ID}.budget-back-next-day`],
    patch: (rules) => ({ ...rules, dayOf: (now) => rules.dayOf(now - 3_600_000) }),
    clock: () => clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
  },
  {
    name: 'messages-skip-the-budget',
    summary: 'Does not check a budget before a request of the messages route.',
    breaks: ['router.token-limit-rules.budget-on-messages'],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (remaining, input, output, context) =>
        context.path === '/v1/messages' || rules.fitsBudget(remaining, input, output, context),
    }),
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
