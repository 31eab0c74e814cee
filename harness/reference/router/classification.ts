/** Turning an engine's error into a code and a message (backend-classification). */

import type { IncomingHttpHeaders } from 'node:http';
import type { EngineError, RequestContext } from './context.ts';
import type { RouterRules } from './rules/rules.ts';

/** Notes what an engine answered, for whatever is decided of the request from here on. */
export function noted(
  rules: RouterRules,
  answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly bytes: Buffer;
  },
  context: RequestContext,
): EngineError {
  const error = { ...answer, json: rules.errorJson(answer.bytes, answer.headers, context) };
  context.engineError = error;
  return error;
}

/** Classifies an error of an engine. */
export function classify(
  rules: RouterRules,
  { status, bytes, json }: EngineError,
  context: RequestContext,
): { code: string; message: string } {
  const named = rules.messageIn(json, context);
  const speaks = rules.speaksOfContext(named ?? bytes.toString('utf8'), context);
  return {
    code: rules.codeOf(rules.knownType(json, context), status, speaks, context),
    message: named ?? rules.truncate(bytes, context),
  };
}
