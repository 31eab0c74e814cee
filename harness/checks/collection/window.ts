/** Date windows, judged against each other and against the default order. */

import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { notAnswered } from './filter.ts';
import type { UniversalJudgement } from '../universal.ts';
import { isSameSequence, type Part, type Seen } from './bracket.ts';

/** Begin and end together give the instances of `order` that both give alone; an empty window is not judged. */
export function bothBounds(
  order: readonly string[],
  begin: Seen,
  end: Seen,
  both: Seen,
): Judgement {
  const [first, second, got] = [new Set(begin.ids), new Set(end.ids), new Set(both.ids)];
  const expected = order.filter((id) => first.has(id) && second.has(id));
  const actual = order.filter((id) => got.has(id));
  if (expected.length === 0 && actual.length === 0) return notObserved;
  const wanted = new Set(expected);
  const misplaced = [
    ...expected.filter((id) => !got.has(id)),
    ...actual.filter((id) => !wanted.has(id)),
  ];
  if (misplaced.length > 0) {
    return violated(
      'Begin and end together do not give what is in both windows.',
      { expected: expected.slice(0, 20), actual: actual.slice(0, 20) },
      ...both.exchanges,
      ...begin.exchanges,
      ...end.exchanges,
    );
  }
  return expected.length < order.length ? pass() : notObserved;
}

/** A window has an instance that each of its parameters gives alone. `window` is the query as text. */
export function instantInBoth(
  id: string,
  both: Part,
  ofEach: readonly Seen[],
  window: string,
): Judgement {
  // The list may have changed since the bounds were found.
  if (!ofEach.every(({ ids }) => ids.includes(id))) return notObserved;
  const broken = notAnswered(both, window);
  if (broken !== undefined) return broken;
  const isThere = both.ids.includes(id);
  if (!isThere && both.end !== 'last-page') return notObserved;
  return expectThat(
    isThere,
    'A window lacks what each of its parameters gives alone.',
    { expected: `${id} in the window ${window}`, actual: `${both.ids.length} others` },
    ...both.exchanges,
    ...ofEach.flatMap(({ exchanges }) => exchanges),
  );
}

/** A list that was filtered by one date bound. */
export interface WindowObservation extends Seen {
  readonly bound: 'begin' | 'end';
  /** The instant asked for, in milliseconds since the epoch. */
  readonly at: number;
}

/** No instance was created before this instant. */
export const BEFORE_ALL = Date.UTC(2000, 0, 1);
/** A server may cut dates to the second, and its clock may be off: smaller contradictions are not judged. */
const GRAIN_MS = 1_000;
const DAY_MS = 86_400_000;

/**
 * Judges windows over the instances of `order`, whose order in the default list did not change meanwhile. `now` is the
 * current time in milliseconds: nothing was created more than a day after it.
 */
export function windows(
  order: readonly string[],
  observations: readonly WindowObservation[],
  now: number,
): readonly UniversalJudgement<
  | 'compute.list-instances.date-begin'
  | 'compute.list-instances.date-end'
  | 'compute.list-instances.newest-first'
>[] {
  const of = (bound: WindowObservation['bound']) =>
    observations.filter((observation) => observation.bound === bound);
  const [begins, ends] = [of('begin'), of('end')];
  const begin = alone(begins, order, now);
  const end = alone(ends, order, now);
  const [beginFits, endFits] = [begins, ends].map((list) =>
    list.map((observation) => fits(observation, order, observations)).find(isViolation),
  );
  const cross = contradiction(begins, ends, order);
  const blame = (one: Judgement, unfit: Judgement | undefined, other: Judgement | undefined) =>
    isViolation(one) ? one : other === undefined ? unfit : undefined;
  const beginWrong = blame(begin, beginFits, endFits);
  const endWrong = blame(end, endFits, beginFits);
  const both = beginFits !== undefined && endFits !== undefined;
  const nobody = beginWrong === undefined && endWrong === undefined;
  // Both windows agree with each other but not with the list, so the order of the list is wrong.
  const orderWrong = nobody && both && cross === undefined ? beginFits : undefined;
  const bothWrong = nobody && orderWrong === undefined ? cross : undefined;
  const conclusive = (list: readonly WindowObservation[]) =>
    pass(list.filter((observation) => splits(observation, order)).length);
  return [
    {
      requirement: 'compute.list-instances.date-begin',
      judgement: beginWrong ?? bothWrong ?? conclusive(begins),
    },
    {
      requirement: 'compute.list-instances.date-end',
      judgement: endWrong ?? bothWrong ?? conclusive(ends),
    },
    {
      requirement: 'compute.list-instances.newest-first',
      judgement:
        orderWrong ?? (nobody && bothWrong === undefined ? conclusive(observations) : notObserved),
    },
  ];
}

function isViolation(judgement: Judgement | undefined): boolean {
  return judgement !== undefined && judgement.violations.length > 0;
}

/** True when a window has some of the instances but not all. Only then can it contradict the order. */
function splits(observation: WindowObservation, order: readonly string[]): boolean {
  const inside = new Set(observation.ids);
  const count = order.filter((id) => inside.has(id)).length;
  return count > 0 && count < order.length;
}

/** A window is one end of the default list, in its order. Instances that no window tells apart may be in any order. */
function fits(
  observation: WindowObservation,
  order: readonly string[],
  observations: readonly WindowObservation[],
): Judgement {
  const inside = new Set(observation.ids);
  const expected = order.filter((id) => inside.has(id));
  const part =
    observation.bound === 'begin'
      ? order.slice(0, expected.length)
      : order.slice(order.length - expected.length);
  const known = new Set(order);
  const actual = observation.ids.filter((id) => known.has(id));
  if (isSameSequence(part, actual)) return pass();
  const date = dated(observations);
  if (isSameSequence(part.map(date), actual.map(date))) return pass();
  return violated(
    `The window ${describe(observation)} is not the ${observation.bound === 'begin' ? 'first' : 'last'} part of the default list.`,
    { expected: part.slice(0, 20), actual: actual.slice(0, 20) },
    ...observation.exchanges,
  );
}

/** Which windows have an instance, as a text that is equal for instances that no window tells apart. */
function dated(observations: readonly WindowObservation[]): (id: string) => string {
  const inside = observations.map(({ ids }) => new Set(ids));
  return (id) => inside.map((ids) => (ids.has(id) ? '1' : '0')).join('');
}

/** One bound against itself and the calendar: a wider window never has less than a narrower one. */
function alone(
  observations: readonly WindowObservation[],
  order: readonly string[],
  now: number,
): Judgement {
  const forward = observations[0]?.bound === 'begin' ? 1 : -1;
  for (const id of order) {
    const inside = observations.filter((observation) => observation.ids.includes(id));
    const outside = observations.filter((observation) => !observation.ids.includes(id));
    for (const observation of inside) {
      const beyond = forward === 1 ? observation.at > now + DAY_MS : observation.at < BEFORE_ALL;
      if (beyond) return wrong(id, observation);
      const other = outside.find((out) => forward * (observation.at - out.at) > GRAIN_MS);
      if (other !== undefined) return wrong(id, observation, other);
    }
    // The window has fewer items than the list, so new instances did not push the missing one off the page.
    const narrower = outside.find(
      (observation) => hasEverything(observation, now) && observation.ids.length < order.length,
    );
    if (narrower !== undefined) return leftOut(id, narrower);
  }
  return pass();
}

/** True for a window that covers every time at which an instance can have been created. */
function hasEverything({ bound, at }: WindowObservation, now: number): boolean {
  return bound === 'begin' ? at <= BEFORE_ALL : at > now + DAY_MS;
}

function leftOut(id: string, observation: WindowObservation): Judgement {
  const statuses = observation.exchanges.map(({ response }) => response?.status ?? 'no status');
  return violated(
    'A window that covers all times lacks an instance.',
    {
      expected: `${id} in the window ${describe(observation)}`,
      actual: `not there (${statuses.join(', ')})`,
    },
    ...observation.exchanges,
  );
}

function wrong(id: string, observation: WindowObservation, other?: WindowObservation): Judgement {
  return violated(
    other === undefined
      ? `The window ${describe(observation)} has an instance that was created long before or after.`
      : 'A window has an instance that a wider one does not have.',
    {
      expected: other === undefined ? 'nothing' : `${id} in the wider window ${describe(other)}`,
      actual: `${id} in the window ${describe(observation)}`,
    },
    ...observation.exchanges,
    ...(other?.exchanges ?? []),
  );
}

/** An instance is in both of two windows that exclude each other, or in neither of two that together cover all times. */
function contradiction(
  begins: readonly WindowObservation[],
  ends: readonly WindowObservation[],
  order: readonly string[],
): Judgement | undefined {
  for (const begin of begins) {
    for (const end of ends) {
      const apart = begin.at - end.at;
      if (Math.abs(apart) <= GRAIN_MS) continue;
      const id = order.find((one) => {
        const [first, second] = [begin.ids.includes(one), end.ids.includes(one)];
        return apart > 0 ? first && second : !first && !second;
      });
      if (id === undefined) continue;
      return violated(
        'The date windows contradict each other.',
        {
          expected: `${id} in ${apart > 0 ? 'at most' : 'at least'} one of the windows ${describe(begin)} and ${describe(end)}`,
          actual: apart > 0 ? 'in both' : 'in neither',
        },
        ...begin.exchanges,
        ...end.exchanges,
      );
    }
  }
  return undefined;
}

function describe(observation: WindowObservation): string {
  const date = new Date(observation.at).toISOString();
  return observation.bound === 'begin' ? `from ${date} on` : `up to ${date}`;
}
