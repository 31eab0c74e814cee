/** Requests that met the router's deadline though nothing was to keep them: a busy machine can be that slow. */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import {
  acceptableFinalCodes,
  endedWith,
  type Provocation,
} from '../../checks/router/final-codes.ts';
import { isEmptyStream } from '../../checks/router/stream-start.ts';
import type { RouterContext } from './session.ts';
import { outlasted } from '../../checks/router/deadline.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { asksForStream } from '../../checks/router/request-body.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Behaviour } from '../../backend/behaviour.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** A deadline is at least this long, where the target file does not tell it. */
const MIN_DEADLINE_MS = 1_000;

/** Whether an engine that is told so answers by itself, or ends the connection. */
export function answersByItself(behaviours: readonly Behaviour[]): boolean {
  return behaviours.every((one) => one.kind !== 'hang' && !('hold' in one));
}

/** Whether a request was let go at the deadline; a request_timeout before that is a mistake of the router. */
export function metDeadline(exchange: Exchange, deadlineMs = MIN_DEADLINE_MS): boolean {
  return codeOf(exchange) === 'request_timeout' && outlasted(exchange, deadlineMs);
}

/** Whether a stream that had begun was still there at the deadline, which may have cut it; one that we left was not. */
export function mayBeCutByDeadline(exchange: Exchange, deadlineMs = MIN_DEADLINE_MS): boolean {
  const endedByItself = exchange.ending !== 'timeout' && exchange.ending !== 'aborted';
  return (
    isSuccess(exchange) &&
    asksForStream(exchange) &&
    endedByItself &&
    outlasted(exchange, deadlineMs)
  );
}

/**
 * What may keep a request until its deadline: what answers nothing at all, not even that it is gone, and an agent that is
 * waited for.
 */
const keeping: ReadonlySet<Provocation> = new Set([
  'agent-gone',
  'backend-down',
  'no-eligible-agent',
]);

/** After what an agent may register its model no more. */
const unregistering: ReadonlySet<Provocation> = new Set(['agent-gone', 'backend-down']);

/** Whether a request ended as it may, or with one of the other codes. */
export function endedOf(
  t: Pick<RouterContext, 'limits'>,
  provocation: Provocation,
  exchange: Exchange,
  others: readonly RouterCode[] = [],
): Judgement {
  if (keeping.has(provocation) && metDeadline(exchange, t.limits.requestTimeoutMs))
    return notObserved;
  if (unregistering.has(provocation) && codeOf(exchange) === 'model_not_found') return notObserved;
  // A router may begin a stream before it looks for an agent.
  if (isEmptyStream(exchange)) return notObserved;
  return endedWith(exchange, [...acceptableFinalCodes(provocation), ...others]);
}
