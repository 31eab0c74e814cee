/** Whether a session stopped at the first try (router#retry-behaviour/1). */

import { terminalCodes } from '../../../schemas/router/retry-behaviour.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import { reachedOnce } from './tries.ts';
import { codeOf } from './envelope.ts';

const stopping: ReadonlySet<unknown> = new Set(terminalCodes);

/**
 * Held for one hit and a code that stops the session. One hit and another code shows nothing: then it was a provider that
 * failed, or the error was taken for another, which is judged elsewhere.
 */
export function stoppedAtOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 1 && !stopping.has(codeOf(exchange))) return notObserved;
  return reachedOnce(exchange, hits);
}
