/** Daily token budgets that are not enforced or are refunded, and overruns that are delivered or cut a stream. */

import { jsonIn, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import {
  always,
  amend,
  answering,
  asStream,
  before,
  chained,
  each,
  faultTable,
  forces,
  hasBudget,
  headed,
  namesMaximum,
  once,
  onMessages,
  onPair,
  type Patch,
  replace,
  rows,
  TOKENS,
  type When,
} from './words.ts';
import { late } from './words-limits.ts';

/** Ignores one member when it reads the requested output. */
function blindTo(member: string): Patch {
  return (rules) => ({
    requestedOutput: (body, context) =>
      rules.requestedOutput(hasBudget(context) ? { ...body, [member]: undefined } : body, context),
  });
}

/** Compares the input and the requested output with the budget one by one, not their sum. */
const checksNoSum: Patch = replace(
  'fitsBudget',
  (_original, remaining, input, output) => input <= remaining && output <= remaining,
);

/** After a request that did not fit the budget, every later request of the key is refused. */
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

/** True for refusals that report nothing remaining: after an overrun, and with a spent budget. */
const isOverrun: When = (reply, context) =>
  reply.status === 429 && hasBudget(context) && Buffer.from(reply.body).includes('no longer fits');

/** Number of pieces after which a stream of a key with a budget is cut. */
const PIECES = 20;

export const tokenLimitRulesFaults = faultTable('router.token-limit-rules', {
  'max-tokens-too-large + max-completion-tokens-too-large: maximum-counted-in-32-bits': amend(
    'requestedOutput',
    (output, _body, context) =>
      output !== undefined && hasBudget(context) ? output % 2 ** 32 : output,
  ),
  'max-tokens-too-large + max-completion-tokens-too-large: budget-sum-counted-in-64-bits': replace(
    'fitsBudget',
    (original, left, input, output, context) => {
      const sum = BigInt(Math.ceil(input)) + BigInt(Math.ceil(output));
      return original(left, Number(BigInt.asIntN(64, sum)), 0, context);
    },
  ),
  'sum-too-large: budget-checks-no-sum': checksNoSum,
  'sum-too-large: budget-of-a-heavy-count-checks-no-sum': chained(
    amend('estimateInput', (tokens, _body, context) =>
      hasBudget(context) ? Math.ceil((tokens * 4) / 3) : tokens,
    ),
    checksNoSum,
  ),
  'prompt-too-large: prompts-in-parts-fit-any-budget': forces(
    'fitsBudget',
    true,
    (_remaining, _input, _output, { body }) =>
      JSON.stringify(body?.['messages'] ?? '').includes('"type":"text"'),
  ),
  'max-tokens-too-large + up-front-reaches-no-engine + stream-up-front: max-tokens-not-counted':
    blindTo('max_tokens'),
  'max-tokens-too-large + max-completion-tokens-too-large + prompt-too-large + stream-up-front: budget-refusal-is-input-too-long':
    amend('fitsBudget', (fits) => {
      if (fits) return true;
      throw new RouterFailure('input_too_long', 'insufficient daily token budget');
    }),
  'budget-on-messages: messages-skip-the-budget': forces('fitsBudget', true, onMessages),
  'max-completion-tokens-too-large: max-completion-tokens-not-counted':
    blindTo('max_completion_tokens'),
  'max-completion-tokens-too-large: budget-refusal-is-rate-limit': amend(
    'fitsBudget',
    (fits, _left, _input, _output, { body }) => {
      if (fits || typeof body?.['max_completion_tokens'] !== 'number') return fits;
      throw new RouterFailure('rate_limit_exceeded', 'over budget', { quota: 'bucket' });
    },
  ),
  ...each.replace('fitsBudget', {
    'up-front-what-is-left: budget-compared-whole': (original, _left, input, output, context) =>
      original(context.key?.tokensPerDay ?? Infinity, input, output, context),
    'up-front-reaches-no-engine: short-prompts-may-ask-for-a-tenth-more': (
      original,
      left,
      input,
      output,
      context,
    ) => original(input < 50 ? left * 1.1 : left, input, output, context),
    'prompt-too-large: prompt-not-counted': (original, left, _input, output, context) =>
      original(left, 0, output, context),
  }),
  'up-front-what-is-left: answered-prompts-cost-nothing': () => ({ promptCost: () => 0 }),
  ...rows((where) => late('fitsBudget', false, 'token_limit_exceeded', where), {
    'up-front-reaches-no-engine: budget-looked-at-late': always,
    'up-front-reaches-no-engine: budget-looked-at-late-for-streams': asStream,
  }),
  'smaller-max-tokens + smaller-max-completion-tokens: max-tokens-refusal-lasts': holdingAGrudge(
    (input, _output, left) => input <= left,
  ),
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
  'overrun: overrun-compared-whole': replace('settles', (original, _left, output, context) =>
    original(context.key?.tokensPerDay ?? Infinity, output, context),
  ),
  ...each.forces('settles', true, {
    'overrun: overrun-unnoticed-with-two-agents': onPair,
    'overrun: overrun-unnoticed-where-a-maximum-was-named': (_left, _output, context) =>
      namesMaximum(context),
    'overrun: overrun-unnoticed-where-a-stream-was-declined': (_left, _output, { body }) =>
      body?.['stream'] === false,
  }),
  'overrun: overrun-unnoticed-where-a-tool-is-called': once(
    'promptCost',
    (_tokens, body) => Buffer.from(body).includes('tool_calls'),
    (callsTool) => forces('settles', true, callsTool),
  ),
  'overrun + up-front-what-is-left: completions-that-fit-are-free': () => ({
    afterCompletion: (left) => left,
  }),
  'up-front-what-is-left: completions-settle-with-what-they-met': (rules) => {
    const met = new WeakMap<RequestContext, number>();
    return chained(
      before('fitsBudget', (left, input, _output, context) => met.set(context, left - input)),
      replace('afterCompletion', (original, left, output, context) =>
        original(met.get(context) ?? left, output, context),
      ),
    )(rules);
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
  ...headed(TOKENS, undefined, {
    'overrun-remaining-zero: overrun-says-nothing-of-the-rest': isOverrun,
  }),
  ...headed(TOKENS, (_reply, { key }) => String((key?.tokensPerDay ?? 2) - 1), {
    'overrun-remaining-zero: overrun-says-tokens-remain': isOverrun,
  }),
  'overrun-one-hit + router.retry-behaviour.token-limit-stops: overrun-tried-twice': (rules) => {
    const repeated = new WeakSet<RequestContext>();
    return chained(
      forces('stops', false, (code, context) => {
        const isSpent = code === 'token_limit_exceeded';
        if (isSpent) repeated.add(context);
        return isSpent;
      }),
      forces('avoids', false, (_failed, _agent, context) => repeated.delete(context)),
    )(rules);
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
    return amend('streamPiece', (plain, piece, index, context) => {
      const sum = (written.get(context) ?? 0) + piece.byteLength;
      written.set(context, sum);
      const isOver = sum > 4 * (context.key?.tokensPerDay ?? Infinity);
      return isOver || (hasBudget(context) && index >= PIECES) ? new Uint8Array() : plain;
    })(rules);
  },
  'stream-overrun-accounted + stream-output-accounted: streams-are-free': () => ({
    afterStream: (left) => left,
  }),
  ...each.forces('afterStream', (left) => left, {
    'stream-overrun-accounted: stream-overrun-accounted-up-to-the-budget': (left, output) =>
      output > left,
    'stream-output-accounted: streams-that-fit-are-free': (left, output) => output <= left,
  }),
});
