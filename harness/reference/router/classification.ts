/** Turning an engine's error into a code and a message (backend-classification). */

import type { IncomingHttpHeaders } from 'node:http';
import type { RouterRules } from './rules/rules.ts';

/** Classifies an error of an engine; null stands for a body that was lost on the way. */
export function classify(
  rules: RouterRules,
  status: number,
  body: Buffer | null,
  headers: IncomingHttpHeaders = {},
): { code: string; message: string } {
  const bytes = body ?? Buffer.alloc(0);
  const json = rules.errorJson(bytes, headers);
  const named = rules.messageIn(json);
  const speaks = rules.speaksOfContext(named ?? bytes.toString('utf8'));
  return {
    code: rules.codeOf(rules.knownType(json), status, speaks),
    message: named ?? rules.truncate(bytes),
  };
}
