/** Requests that met the router's deadline though nothing was to keep them: a busy machine can be that slow. */

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
