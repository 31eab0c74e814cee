/** The region codes in a body of unknown shape (compute#regions/codes). */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isSuccess } from './records.ts';

/** A body nested deeper than this is hostile and is not searched further. */
const DEPTH = 32;

function* words(value: unknown, depth = 0): Generator<string> {
  if (depth > DEPTH) return;
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* words(item, depth + 1);
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield name;
      yield* words(member, depth + 1);
    }
  }
}

/** Each code occurs somewhere in the body, as a whole text or member name. */
export function codesMentioned(exchange: Exchange): Judgement {
  const body = jsonBody(exchange);
  if (!isSuccess(exchange) || !body.ok) return notObserved;
  const found = new Set(words(body.value));
  const missing = regionCodes.filter((code) => !found.has(code));
  return expectThat(
    missing.length === 0,
    'The regions leave out a code.',
    { expected: regionCodes.join(', '), actual: `without ${missing.join(', ')}` },
    exchange,
  );
}

/** The codes that a binding reads from the body are exactly the set, each once. */
export function codesExact(codes: readonly unknown[], exchange: Exchange): Judgement {
  const sorted = (list: readonly unknown[]) => list.map(String).toSorted().join(', ');
  return expectThat(
    sorted(codes) === sorted(regionCodes),
    'The regions are not the fixed set of codes.',
    { expected: sorted(regionCodes), actual: sorted(codes) },
    exchange,
  );
}
