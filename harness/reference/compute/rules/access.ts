/** Authentication, authorization, rate limits and error responses. */

import { errorCodes, type KeyEntry, type Operation, Refusal } from '../model.ts';
import { type Answer, headerValues, type RequestContext } from '../context.ts';

/** The token of a single well-formed `Authorization: Bearer TOKEN` header, or undefined. */
export function bearerToken(context: RequestContext): string | undefined {
  const values = headerValues(context, 'authorization');
  const [value] = values;
  if (values.length !== 1 || value === undefined) return undefined;
  const flags = context.choices.schemeCase === 'any' ? 'iu' : 'u';
  return new RegExp(String.raw`^Bearer (\S+)$`, flags).exec(value)?.[1];
}

/** Finds a key by its secret. */
export function findKey(token: string, context: RequestContext): KeyEntry | undefined {
  return context.world.key(token);
}

/** The key of the caller. @throws {Refusal} 401 without a valid key */
export function authenticate(context: RequestContext): KeyEntry {
  const token = context.rules.bearerToken(context);
  const key = token === undefined ? undefined : context.rules.findKey(token, context);
  if (key === undefined) throw context.rules.unauthorized(context);
  return key;
}

/** 401, the same for every invalid credential. */
export function unauthorized(context: RequestContext): Refusal {
  const { challenge } = context.choices;
  return new Refusal(
    401,
    errorCodes[401],
    'A valid API key is needed, as in "Authorization: Bearer KEY".',
    challenge === undefined ? [] : [['WWW-Authenticate', challenge]],
  );
}

/** Whether the policy of a key allows an operation. */
export function isAllowed(key: KeyEntry, operation: Operation, _context: RequestContext): boolean {
  return key.allows === 'everything' || key.allows.includes(operation);
}

/** Takes one request from the rate limit of a key. Returns the seconds to wait if none is left. */
export function takeRequest(key: KeyEntry, context: RequestContext): number | undefined {
  const { rateLimit, usage } = context.deployment;
  if (rateLimit === undefined || rateLimit.roles?.includes(key.role) === false) return undefined;
  const { requests, perSeconds } = rateLimit;
  const known = usage.get(key.secret) ?? { left: requests, since: context.now };
  const elapsed = Math.max(0, context.now - known.since) / 1000;
  const fixed = context.choices.rateWindow === 'fixed';
  if (fixed && elapsed >= perSeconds) Object.assign(known, { left: requests, since: context.now });
  if (!fixed) {
    known.left = Math.min(requests, known.left + (elapsed * requests) / perSeconds);
    known.since = context.now;
  }
  usage.set(key.secret, known);
  // Refills are added as binary fractions, so a whole request may come out slightly below 1.
  if (known.left >= 1 - 1e-9) {
    known.left -= 1;
    return undefined;
  }
  const wait = fixed ? perSeconds - elapsed : ((1 - known.left) * perSeconds) / requests;
  return Math.max(1, Math.ceil(wait));
}

/** 429 with a Retry-After in whole seconds. */
export function tooManyRequests(seconds: number, _context: RequestContext): Refusal {
  return new Refusal(429, errorCodes[429], `The rate limit is exceeded: wait ${seconds} s.`, [
    ['Retry-After', String(seconds)],
  ]);
}

/** The body of every error. */
export function errorEnvelope(refusal: Refusal, context: RequestContext): unknown {
  const { envelopeExtras, message } = context.choices;
  return {
    error: {
      code: refusal.code,
      message: message(refusal.code, refusal.message),
      request_id: context.requestId,
      ...envelopeExtras.error,
    },
    ...envelopeExtras.top,
  };
}

/** A refusal as a response. */
export function errorAnswer(refusal: Refusal, context: RequestContext): Answer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    json: context.rules.errorEnvelope(refusal, context),
  };
}

/** Any error as a refusal: 500 unless it is one already. */
export function refusalOf(error: unknown, _context: RequestContext): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(500, errorCodes[500], 'The service failed to answer this request.');
}

/** 409: the state of the instance forbids the action. */
export function conflict(message: string, context: RequestContext): Refusal {
  return new Refusal(409, context.choices.conflictCode, message);
}

/** The response to an unknown path, or to an unknown method of a known path. */
export function unknownRoute(
  allowed: readonly string[] | undefined,
  context: RequestContext,
): Answer {
  const status = allowed === undefined ? 404 : context.choices.wrongMethod;
  const headers = status === 405 ? [['Allow', (allowed ?? []).join(', ')] as const] : [];
  if (context.choices.unknownRoute === 'plain') {
    return {
      status,
      headers,
      json: undefined,
      text: status === 405 ? 'wrong method' : 'not found',
    };
  }
  const code = status === 405 ? errorCodes[400] : errorCodes[404];
  return context.rules.errorAnswer(
    new Refusal(status, code, 'There is no such operation.', headers),
    context,
  );
}
