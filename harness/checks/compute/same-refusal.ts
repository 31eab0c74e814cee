/** What one may not see is refused like what does not exist (compute#authentication/rule-6). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { codeOf } from './envelope.ts';

/** Deeper than this a body is hostile, and no shape worth telling apart. */
const SHAPE_DEPTH = 32;

/** The shape of a JSON value: member names and types, no values. Lists count by the shapes of their items. */
export function shapeOf(value: unknown, depth = 0): string {
  if (depth > SHAPE_DEPTH) return 'deep';
  if (Array.isArray(value)) {
    const shapes = new Set(value.map((item) => shapeOf(item, depth + 1)));
    return `[${[...shapes].toSorted().join('|')}]`;
  }
  if (isObject(value)) {
    const members = Object.entries(value)
      .map(([name, member]) => `${name}:${shapeOf(member, depth + 1)}`)
      .toSorted();
    return `{${members.join(',')}}`;
  }
  return value === null ? 'null' : typeof value;
}

/**
 * Status, code and shape of an answer are those of an answer about what does not exist; message text and ids may differ.
 * Of several such answers one suffices: members that come and go tell nothing of what was asked for.
 */
export function sameRefusal(
  foreign: Exchange,
  ...unknownInstanceId: readonly Exchange[]
): Judgement {
  const telling = unknownInstanceId.filter((one) => isTelling(one));
  if (!isTelling(foreign) || telling[0] === undefined) return notObserved;
  return expectThat(
    telling.some((one) => isAlike(foreign, one)),
    'What belongs to somebody else is told apart from what does not exist.',
    { expected: answered(telling[0]), actual: answered(foreign) },
    foreign,
    ...telling,
  );
}

function isAlike(foreign: Exchange, unknownInstanceId: Exchange): boolean {
  const [left, right] = [jsonBody(foreign), jsonBody(unknownInstanceId)];
  return (
    foreign.response?.status === unknownInstanceId.response?.status &&
    codeOf(foreign) === codeOf(unknownInstanceId) &&
    left.ok === right.ok &&
    (!left.ok || !right.ok || shapeOf(left.value) === shapeOf(right.value))
  );
}
