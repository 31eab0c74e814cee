/** The one envelope of all errors. */

import type { Answer, RequestContext } from '../context.ts';
import { Refusal, errorCodes } from '../refusal.ts';

/** Body of every error. */
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

/** The answer that tells of a refusal. */
export function errorAnswer(refusal: Refusal, context: RequestContext): Answer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    json: context.rules.errorEnvelope(refusal, context),
  };
}

/** Any failure as a refusal; what nobody foresaw is 500. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(500, errorCodes[500], 'The service failed to answer this request.');
}

/** 409 where the state of an instance forbids what was asked. */
export function conflict(message: string, context: RequestContext): Refusal {
  return new Refusal(409, context.choices.conflictCode, message);
}

/** A path, or a method of a path, that the service does not have. */
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
