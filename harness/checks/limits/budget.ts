/** The daily token budget of a key (router#token-limit-rules), and the caps of a policy on input (router#limits/input-caps). */

import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import { expectThat, type Judgement, notObserved, together, violated } from '../judgement.ts';
import { endOf } from '../reading.ts';
import { codeOf, foundNoRoom, hasCode, isInternalFailure } from '../router/envelope.ts';
import {
  endedWith,
  expectOutcome,
  outcomeText,
  servedUnless,
  succeeded,
} from '../router/outcome.ts';
import { isSameBudgetDay, remainingOf, saysNoneRemain } from './quota.ts';
import { retryAfterOf } from '../router/headers.ts';

const CODE = 'token_limit_exceeded';

/** True for a refusal for the daily budget. */
export const isOverBudget = hasCode(CODE);

/** True for a refusal by the policy of a model, whose cap a request far over a budget may be over as well. */
export const isOverCap = hasCode('input_too_long');

/** True for a refusal for what the model takes or writes at most, by any key: a request beyond a budget may be beyond that. */
export const isBeyondModel = hasCode('input_too_long', 'invalid_parameter');

/** True for a refusal by a serverless policy, which alone asks to wait. */
function isOverShare(exchange: Exchange): boolean {
  return codeOf(exchange) === 'rate_limit_exceeded' && retryAfterOf(exchange) !== undefined;
}

/**
 * Held for token_limit_exceeded. A refusal for another limit that the request may be over shows nothing: which is looked at
 * first is open. `fitsModel` says that the model takes such a request from a key without a budget, so that it is beyond nothing else.
 */
export function refusedForBudget(exchange: Exchange, { fitsModel = false } = {}): Judgement {
  if (isBeyondModel(exchange) && !fitsModel) return notObserved;
  if (codeOf(exchange) === 'concurrency_limit_exceeded' || isOverShare(exchange))
    return notObserved;
  return endedWith(exchange, [CODE]);
}

/** The same for a request that asked for a stream: as JSON, before any stream begins. */
export function refusedBeforeStream(exchange: Exchange, { fitsModel = false } = {}): Judgement {
  if (exchange.response === undefined) return notObserved;
  const type = mediaType(exchange.response.headers);
  return together(
    refusedForBudget(exchange, { fitsModel }),
    expectThat(
      type !== EVENT_STREAM,
      'A refusal before a stream came as a stream.',
      { expected: 'a JSON error', actual: type ?? 'no Content-Type' },
      exchange,
    ),
  );
}

/** Whether a reduced request was served after `refused`, which did not fit. One that found no room shows nothing. */
export function servedOnceReduced(exchange: Exchange, refused: Exchange): Judgement {
  const mayPass = foundNoRoom(exchange) || isInternalFailure(exchange);
  if (!isOverBudget(refused) || mayPass) return notObserved;
  if (!isOverBudget(exchange)) return succeeded(exchange);
  return violated(
    'A reduced request was refused for the daily budget too.',
    { expected: 'a success', actual: outcomeText(exchange) },
    exchange,
    refused,
  );
}

/** Whether a key that had room is not over its budget after another key spent its own. */
export const keptItsBudget = servedUnless(
  isOverBudget,
  'A key was refused for its daily budget when another had spent its own.',
);

/** Whether the refusal of an overrun says that nothing remains, whatever its code. A success is no refusal. */
export function saysNoTokensRemain(exchange: Exchange): Judgement {
  if ((exchange.response?.status ?? 0) < 400) return notObserved;
  return saysNoneRemain(exchange, 'tokens', 'an overrun');
}

/** What remained before and after an overrun with a prompt of about `promptTokens`. */
interface AroundOverrun {
  readonly before: Exchange;
  readonly overrun: Exchange;
  readonly after: Exchange;
  readonly promptTokens: number;
}

/** Share of a prompt that any estimate must count. */
const MIN_SHARE = 0.25;

/**
 * Whether the prompt of an overrun stayed deducted: what remains fell by a good part of it at least. Shows nothing where
 * one of the answers does not tell what remains.
 */
export function promptStaysDeducted(around: AroundOverrun): Judgement {
  const [before, after] = [around.before, around.after].map((exchange) =>
    remainingOf(exchange, 'tokens'),
  );
  if (!isOverBudget(around.overrun) || before === undefined || after === undefined)
    return notObserved;
  if (!isSameBudgetDay(around.before.startedAt, endOf(around.after), around.after))
    return notObserved;
  const most = Math.floor(before - MIN_SHARE * around.promptTokens);
  // A refusal up front may tell of no tokens at all.
  if (most < 0) return notObserved;
  return expectThat(
    after <= most,
    'The prompt of an overrun did not stay deducted from the daily budget.',
    { expected: `at most ${most} tokens of ${before} remain`, actual: `${after} remain` },
    around.after,
    around.overrun,
    around.before,
  );
}

/** Whether a key whose budget was spent is served on the next day. */
export const backNextDay = servedUnless(
  isOverBudget,
  'A budget that was spent before midnight UTC is still spent after it.',
);

/**
 * Whether a request took of a daily budget. `refusals` are three alike, all refused for the budget: the request came
 * between the second and the third, and what a refusal costs shows between the first and the second.
 */
export function tookOfBudget(refusals: readonly [Exchange, Exchange, Exchange]): boolean {
  const [first, second, third] = refusals.map((one) => remainingOf(one, 'tokens'));
  if (first === undefined || second === undefined || third === undefined) return false;
  return second - third > first - second;
}

/** Held for any whole answer but input_too_long. */
export function notTooLong(exchange: Exchange): Judgement {
  if (exchange.ending !== 'complete') return notObserved;
  const message = 'An input within the caps of the policy was refused as too long.';
  return expectOutcome(exchange, !isOverCap(exchange), message, 'anything but input_too_long');
}

/** Tokens that one image may be estimated at, by the most generous of estimates. */
export const MAX_TOKENS_PER_IMAGE = 2_000;

/** Whether so many images may be over a cap on tokens, whatever their number. */
export function mayBeTokens(images: number, maxInputTokens = Infinity): boolean {
  return maxInputTokens < images * MAX_TOKENS_PER_IMAGE;
}

/**
 * The same for as many images as a policy allows. Images weigh tokens too: where the cap on tokens is so small that they
 * may be over it, a refusal shows nothing of their number.
 */
export function imagesNotTooMany(
  exchange: Exchange,
  images: number,
  maxInputTokens = Infinity,
): Judgement {
  const judgement = notTooLong(exchange);
  return judgement.violations.length > 0 && mayBeTokens(images, maxInputTokens)
    ? notObserved
    : judgement;
}
