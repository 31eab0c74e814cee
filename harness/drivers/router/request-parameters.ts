/** What a request asks of an engine beside its text: it decides nothing of how the engine's error is read. */

import type { InferenceOptions } from './api.ts';

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
