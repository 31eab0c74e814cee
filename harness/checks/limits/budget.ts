/** The daily token budget of a key (router#token-limit-rules), and a policy's input caps (router#limits/input-caps). */

import { type Exchange, mediaType, endOf } from '../../exchange/exchange.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import { expectThat, type Judgement, notObserved, together, violated } from '../judgement.ts';
import { codeOf, foundNoRoom, hasCode, isInternalFailure } from '../router/envelope.ts';
import {
  endedWith,
  expectOutcome,
  notTooLarge,
  outcomeText,
  servedUnless,
  succeeded,
} from '../router/outcome.ts';
import { isSameBudgetDay, remainingOf, saysNoneRemain } from './quota.ts';
import { retryAfterOf } from '../router/headers.ts';

const CODE = 'token_limit_exceeded';

/** True for a refusal because of the daily budget. */
export const isOverBudget = hasCode(CODE);

/** True for a refusal by a model's policy: a request far over a budget may also be over its cap. */
export const isOverCap = hasCode('input_too_long');

/** True for a refusal because the model itself, for any key, cannot take such a request. */
export const isBeyondModel = hasCode('input_too_long', 'invalid_parameter');

/** True for a refusal by a serverless policy, the only one with Retry-After. */
function isOverShare(exchange: Exchange): boolean {
  return codeOf(exchange) === 'rate_limit_exceeded' && retryAfterOf(exchange) !== undefined;
}

/**
 * Passes on token_limit_exceeded. A refusal for another limit that the request may exceed is not judged, since the order
 * of these checks is open. `fitsModel`: the model serves such a request to a key without a budget.
 */
export function refusedForBudget(exchange: Exchange, { fitsModel = false } = {}): Judgement {
  if (isBeyondModel(exchange) && !fitsModel) return notObserved;
  if (codeOf(exchange) === 'concurrency_limit_exceeded' || isOverShare(exchange))
    return notObserved;
  return endedWith(exchange, [CODE]);
}

/** The same for a request that asked for a stream: the refusal is JSON, before any stream begins. */
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

/** A reduced request was served after `refused`, which did not fit. A request that found no capacity is not judged. */
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

/** A key with budget left is not refused for its budget after another key spent its own. */
export const keptItsBudget = servedUnless(
  isOverBudget,
  'A key was refused for its daily budget when another had spent its own.',
);

/** The refusal of an overrun says that no tokens remain, whatever its code. A success is not judged. */
export function saysNoTokensRemain(exchange: Exchange): Judgement {
  if ((exchange.response?.status ?? 0) < 400) return notObserved;
  return saysNoneRemain(exchange, 'tokens', 'an overrun');
}

/** The exchanges before and after an overrun with a prompt of about `promptTokens`. */
interface AroundOverrun {
  readonly before: Exchange;
  readonly overrun: Exchange;
  readonly after: Exchange;
  readonly promptTokens: number;
}

/** Share of a prompt that any estimate counts at least. */
const MIN_SHARE = 0.25;

/** The prompt of an overrun stayed deducted: the remaining tokens fell by a good part of it. */
export function promptStaysDeducted(around: AroundOverrun): Judgement {
  const [before, after] = [around.before, around.after].map((exchange) =>
    remainingOf(exchange, 'tokens'),
  );
  if (!isOverBudget(around.overrun) || before === undefined || after === undefined)
    return notObserved;
  if (!isSameBudgetDay(around.before.startedAt, endOf(around.after), around.after))
    return notObserved;
  const most = Math.floor(before - MIN_SHARE * around.promptTokens);
  // A refusal up front may show no remaining tokens.
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

/** A key whose budget was spent is served on the next day. */
export const backNextDay = servedUnless(
  isOverBudget,
  'A budget that was spent before midnight UTC is still spent after it.',
);

/**
 * Whether a request consumed daily budget. `refusals` answer three equal requests, all refused for the budget. The request
 * came between the second and the third; the first two show what a refusal itself costs.
 */
export function tookOfBudget(refusals: readonly [Exchange, Exchange, Exchange]): boolean {
  const [first, second, third] = refusals.map((one) => remainingOf(one, 'tokens'));
  if (first === undefined || second === undefined || third === undefined) return false;
  return second - third > first - second;
}

/** Passes on input_too_long. A 413 is wrong, too, where the limit on bodies is known, since the body fits it. */
export function tooLong(
  exchange: Exchange,
  { maxRequestBytes }: { readonly maxRequestBytes?: number | undefined },
): Judgement {
  const judgement = endedWith(exchange, ['input_too_long']);
  return maxRequestBytes === undefined ? judgement : together(judgement, notTooLarge(exchange));
}

/** Passes on any whole response but input_too_long. */
export function notTooLong(exchange: Exchange): Judgement {
  if (exchange.ending !== 'complete') return notObserved;
  const message = 'An input within the caps of the policy was refused as too long.';
  return expectOutcome(exchange, !isOverCap(exchange), message, 'anything but input_too_long');
}

/** The highest estimate of tokens for one image. */
export const MAX_TOKENS_PER_IMAGE = 2_000;

/** Whether so many images may exceed a cap on tokens, whatever the cap on images. */
export function mayBeTokens(images: number, maxInputTokens = Infinity): boolean {
  return maxInputTokens < images * MAX_TOKENS_PER_IMAGE;
}

/** The same for as many images as a policy allows. A refusal is not judged where their tokens may exceed the other cap. */
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
