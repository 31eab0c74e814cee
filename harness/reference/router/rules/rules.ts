/** Every decision of the router as a small named function. A fault replaces some of them; a variant makes other choices. */

import type { RouterChoices } from '../choices.ts';
import { admissionRules, quotaRules } from './limits.ts';
import { backendRules, retryRules } from './attempts.ts';
import { identityRules, requestRules } from './requests.ts';
import type { HeaderLine, Reply } from '../../http.ts';
import type { RequestContext, RouterFailure } from '../model.ts';

export type RouterRules = ReturnType<typeof identityRules> &
  ReturnType<typeof requestRules> &
  ReturnType<typeof quotaRules> &
  ReturnType<typeof admissionRules> &
  ReturnType<typeof backendRules> &
  ReturnType<typeof retryRules> &
  ReturnType<typeof answerRules>;

/** The rules of a conforming deployment. */
export function conformingRules(choices: RouterChoices): RouterRules {
  return {
    ...identityRules(choices),
    ...requestRules(choices),
    ...quotaRules(choices),
    ...admissionRules(choices),
    ...backendRules(choices),
    ...retryRules(choices),
    ...answerRules(choices),
  };
}

/** Status and source of every code (codes). */
export const CODES: Readonly<
  Record<string, readonly [status: number, source: 'router' | 'backend']>
> = {
  request_invalid: [400, 'router'],
  context_length_exceeded: [400, 'backend'],
  invalid_parameter: [400, 'backend'],
  input_too_long: [400, 'router'],
  unauthorized: [401, 'router'],
  model_forbidden: [403, 'router'],
  model_not_found: [404, 'router'],
  rate_limit_exceeded: [429, 'router'],
  token_limit_exceeded: [429, 'router'],
  concurrency_limit_exceeded: [429, 'router'],
  no_agents_available: [503, 'router'],
  no_capacity: [503, 'router'],
  agent_disconnected: [503, 'router'],
  backend_unavailable: [503, 'backend'],
  queue_full: [503, 'router'],
  request_timeout: [504, 'router'],
};

/** Status of a failure from an engine or a provider. */
export const FORWARDED_FAILURE = 502;

/** What remains of a key's quotas. Undefined: unlimited. */
export interface Remaining {
  readonly requests: number | undefined;
  readonly tokens: number | undefined;
}

function answerRules(choices: RouterChoices) {
  return {
    statusOf(failure: RouterFailure, _context: RequestContext): number {
      const row = Object.hasOwn(CODES, failure.code) ? CODES[failure.code] : undefined;
      if (row !== undefined) return row[0];
      const said = failure.detail.status ?? FORWARDED_FAILURE;
      const free = failure.code === 'backend_error' ? said === 500 || said === 502 : said >= 400;
      return free ? said : FORWARDED_FAILURE;
    },

    sourceOf(failure: RouterFailure, _context: RequestContext): string {
      const row = Object.hasOwn(CODES, failure.code) ? CODES[failure.code] : undefined;
      return failure.detail.source ?? row?.[1] ?? 'backend';
    },

    /** The body of an error on a client route (envelope). */
    envelope(failure: RouterFailure, source: string, _context: RequestContext): object {
      const { top, error } = choices.envelopeExtras;
      // A message from an engine is passed on unchanged (backend-classification/message).
      const own = source === 'router';
      const message = own ? choices.message(failure.code, failure.message) : failure.message;
      return { error: { code: failure.code, message, source, ...error }, ...top };
    },

    /** The body of an error on an administrator route. */
    adminEnvelope(failure: RouterFailure, _context: RequestContext): object {
      return choices.adminErrors === 'text'
        ? { error: failure.message }
        : { error: { code: failure.code, message: failure.message, source: 'router' } };
    },

    /** Seconds to wait, for the two kinds of refusal that have a Retry-After (headers/retry-after). */
    retryAfter(failure: RouterFailure, _context: RequestContext): string | undefined {
      const says =
        failure.code === 'concurrency_limit_exceeded' || failure.detail.quota === 'serverless';
      return says ? '1' : undefined;
    },

    /** The headers for remaining quotas. Unlimited ones are omitted (headers). */
    rateHeaders(
      remaining: Remaining,
      status: number,
      failure: RouterFailure | undefined,
      _context: RequestContext,
    ): readonly HeaderLine[] {
      const must = failure?.detail.quota === 'bucket' || failure?.detail.quota === 'overrun';
      const shown =
        choices.remainingOn === 'every' || (choices.remainingOn === 'errors') === status >= 400;
      if (!shown && !must) return [];
      // The bucket may have refilled slightly since the refusal; the header describes the moment of the refusal.
      const requests = failure?.detail.quota === 'bucket' ? 0 : remaining.requests;
      const tokens = failure?.detail.quota === 'overrun' ? 0 : remaining.tokens;
      return [
        ...line('X-RateLimit-Remaining-Requests', requests),
        ...line('X-RateLimit-Remaining-Tokens', tokens),
      ];
    },

    /** Sees any response just before it is written. For a stream this is the head, with an empty body. */
    answer(reply: Reply, _context: RequestContext): Reply {
      return reply;
    },

    /** Whether a stream begins with its first byte, so that an earlier failure is still a JSON error (streaming). */
    waitsForFirstByte(_context: RequestContext): boolean {
      return true;
    },

    /** Whether a partial body counts as a response if its engine is lost. It does not (overview/outcome). */
    keepsHalfBodies(_context: RequestContext): boolean {
      return false;
    },

    /** Whether a stream that broke off resumes at another agent. It does not. */
    resumesStream(_context: RequestContext): boolean {
      return false;
    },

    /** A piece of a stream just before it is written; `index` counts from 0. */
    streamPiece(piece: Uint8Array, _index: number, _context: RequestContext): Uint8Array {
      return piece;
    },

    /** Whether a stream that its engine completed ends properly. It does. */
    endsInOrder(_context: RequestContext): boolean {
      return true;
    },

    /** What the router appends when a stream ends. */
    streamTail(_complete: boolean, _context: RequestContext): Uint8Array | undefined {
      return undefined;
    },
  };
}

function line(name: string, value: number | undefined): readonly HeaderLine[] {
  return value === undefined ? [] : [[name, String(Math.max(0, Math.floor(value)))]];
}
