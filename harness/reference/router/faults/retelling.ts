/** Refusals of the form of a request, told in another way. */

import { type RequestContext, RouterFailure } from '../model.ts';
import type { Patch } from './answering.ts';

type Requirement = 'parse' | 'requireModel';

/** Tells a refusal of the form in another way, where `test` holds for its message. */
export function retelling(
  rule: Requirement,
  test: (message: string, context: RequestContext) => boolean,
  to: (message: string) => RouterFailure,
): Patch {
  const retold = (error: unknown, context: RequestContext): unknown =>
    error instanceof Error && test(error.message, context) ? to(error.message) : error;
  return (rules) => ({
    ...rules,
    parse: (bytes, context) => {
      try {
        return rules.parse(bytes, context);
      } catch (error) {
        throw rule === 'parse' ? retold(error, context) : error;
      }
    },
    requireModel: (body, context) => {
      try {
        return rules.requireModel(body, context);
      } catch (error) {
        throw rule === 'requireModel' ? retold(error, context) : error;
      }
    },
  });
}

/** The same refusal under another code. */
export const as = (code: string) => (message: string) => new RouterFailure(code, message);
/** A failure of the router itself. */
export const internal = (message: string) =>
  new RouterFailure('backend_error', message, { source: 'router', status: 500 });
