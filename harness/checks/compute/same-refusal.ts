/** What one may not see is refused like what does not exist (compute#authentication/rule-6). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, vacuous } from '../judgement.ts';
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

/** Status, code and shape of two answers are the same; message text and ids may differ. */
export function sameRefusal(foreign: Exchange, nowhere: Exchange): Judgement {
  if (!isTelling(foreign) || !isTelling(nowhere)) return vacuous;
  const [left, right] = [jsonBody(foreign), jsonBody(nowhere)];
  const same =
    foreign.response?.status === nowhere.response?.status &&
    codeOf(foreign) === codeOf(nowhere) &&
    left.ok === right.ok &&
    (!left.ok || !right.ok || shapeOf(left.value) === shapeOf(right.value));
  return expectThat(
    same,
    'What belongs to somebody else is told apart from what does not exist.',
    { expected: answered(nowhere), actual: answered(foreign) },
    foreign,
    nowhere,
  );
}
