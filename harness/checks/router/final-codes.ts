/** With which codes a session may end, given what went wrong in it (router#retry-behaviour). */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { endOfRetries, terminalCodes } from '../../../schemas/router/retry-behaviour.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';

/**
 * What was provoked, for every try of the session alike.
 * - `agent-gone`: the only agent cannot be reached.
 * - `backend-down`: the agent is up, the engine's port is closed.
 * - `backend-dropped`: the engine took the request and the connection was lost before any answer.
 * - `provider-failed`: no agent could serve and the external provider failed too.
 * - `no-eligible-agent`: the model is registered and no agent may serve it.
 * - `slots-full`: every slot of every agent stayed taken.
 * - `pending-channel-full`: the router's pending channel stayed full.
 * - `deadline-at-engine`: the engine was silent past the deadline.
 * - `deadline-in-queue`: the request waited for a slot past the deadline.
 * - `capability-mismatch`: the engine cannot do what the route asks for.
 */
export type Provocation =
  | 'agent-gone'
  | 'backend-down'
  | 'backend-dropped'
  | 'provider-failed'
  | 'no-eligible-agent'
  | 'slots-full'
  | 'pending-channel-full'
  | 'deadline-at-engine'
  | 'deadline-in-queue'
  | 'capability-mismatch';

const finalCodes: Readonly<Record<Provocation, readonly RouterCode[]>> = {
  'agent-gone': ['agent_disconnected', ...endOfRetries],
  'backend-down': ['backend_unavailable', ...endOfRetries],
  // Whether a lost connection is an unreachable engine or an unclassified failure is not said.
  'backend-dropped': ['backend_unavailable', 'backend_error', ...endOfRetries],
  'provider-failed': ['backend_error'],
  'no-eligible-agent': ['no_agents_available'],
  'slots-full': [...endOfRetries, 'queue_full', 'request_timeout'],
  'pending-channel-full': ['queue_full', ...endOfRetries],
  'deadline-at-engine': ['request_timeout'],
  'deadline-in-queue': ['request_timeout', 'no_capacity'],
  'capability-mismatch': ['request_invalid', 'no_agents_available'],
};

/** The codes that the document allows to come out after `provocation`. */
export function acceptableFinalCodes(provocation: Provocation): readonly RouterCode[] {
  return finalCodes[provocation];
}

/**
 * The codes that may come out of a session whose every try ended with `code`: itself alone when it stops the session,
 * itself or the end of retries otherwise (router#retry-behaviour/1, /3, /4).
 */
export function endsOf(code: RouterCode): readonly RouterCode[] {
  return terminalCodes.some((terminal) => terminal === code) ? [code] : [code, ...endOfRetries];
}

/** Whether an exchange ended with one of `codes`. One whose response did not arrive whole shows nothing. */
export function endedWith(exchange: Exchange, codes: readonly RouterCode[]): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const code = codeOf(exchange);
  return expectThat(
    codes.some((acceptable) => acceptable === code),
    'The session ended with a code that the document does not allow here.',
    { expected: codes.join(' or '), actual: outcomeText(exchange, code) },
    exchange,
  );
}

/** Status and code of an exchange for people. */
export function outcomeText(exchange: Exchange, code = codeOf(exchange)): string {
  const status = exchange.response?.status;
  if (status === undefined) return `no response (${exchange.ending})`;
  return code === '' ? `${status} without an error code` : `${status} ${code}`;
}
