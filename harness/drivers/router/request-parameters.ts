/** What a request asks of an engine beside its text: it decides nothing of how the engine's error is read. */

import { complete } from '../../backend/behaviours.ts';
import { accepted, acceptedOrUnable, arrivedWith } from '../../checks/router/forwarded.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Fields } from '../../generate/answers.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { InferenceOptions } from './api.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';

type Parameters = Pick<InferenceOptions, 'maxTokens' | 'maxCompletionTokens' | 'extra'>;

const ways: readonly [Parameters, ...Parameters[]] = [
  {},
  { maxTokens: 8 },
  { maxCompletionTokens: 8 },
  { extra: { temperature: 0.5 } },
  { extra: { stop: ['.'] } },
];

/** One of the ways for each place in a row, in turns. */
export function parametersAt(place: number): Parameters {
  return ways[place % ways.length] ?? ways[0];
}

/**
 * Sends the request with and without what it may carry; the plain one must be served before and after. What asks for a
 * capability may be refused for want of it.
 */
export async function carried(t: RouterContext, fields: Fields, asksForCapability = false) {
  const before = await provoke(t, complete());
  const { exchange, script } = await provoke(t, complete(), { extra: fields });
  const after = await provoke(t, complete());
  if (!isSuccess(before.exchange) || !isSuccess(after.exchange)) {
    throw new Inconclusive('a plain chat completion is not served, so that no field can be blamed');
  }
  const { messages: _written, ...named } = fields;
  return {
    accepted: asksForCapability ? acceptedOrUnable(exchange) : accepted(exchange),
    forwarded: arrivedWith(exchange, await t.backend.hits(script), named),
  };
}
