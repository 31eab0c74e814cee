/** Finds out when instances were created: the record does not tell, the date filters do. */

import type { Boundary } from '../../checks/collection/boundary.ts';
import { BEFORE_ALL, type WindowObservation } from '../../checks/collection/window.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { ComputeApi } from '../compute/api.ts';
import { type Listing, type ListQuery, readInstances, readWindow, WHOLE_PAGES } from './reading.ts';
import { inversions } from '../../checks/collection/walk.ts';

const DAY_MS = 86_400_000;
const MS_IN_NS = 1_000_000;

type Lists = Pick<ComputeApi, 'list'>;

/** An instant as the filters take it, in UTC with milliseconds. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same instant as the filters take it, in local time with an offset, as in `+05:30`. */
export function atOffset(ms: number, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const ahead = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return `${instant(ms + ahead).slice(0, -1)}${offset}`;
}

/** A span of time, in milliseconds since the epoch, the middle of which tells instances apart. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The time in which everything was created, by clocks that are a day apart at most. */
export const ever = (): Span => ({ from: BEFORE_ALL, to: Date.now() + DAY_MS });

/** The middle of a span, by the age of its ends: most accounts are young, and half of all time is long ago. */
function middleOf({ from, to }: Span): number {
  const later = Date.now() + 2 * DAY_MS;
  return Math.round(later - Math.sqrt((later - from) * (later - to)));
}

/** The widest part of a span that has this instant in its middle. */
function centred(middle: number, { from, to }: Span): Span {
  const half = Math.min(middle - from, to - middle);
  return { from: middle - half, to: middle + half };
}

/** Halves a span to the millisecond, or until there is enough: in the later half wherever `look` says so of the middle. */
export async function bisected(
  span: Span,
  look: (middle: number, span: Span) => Promise<'later' | 'earlier' | 'enough'>,
): Promise<Span> {
  let left = span;
  while (left.to - left.from > 1) {
    const middle = middleOf(left);
    const where = await look(middle, left);
    if (where === 'enough') break;
    left = where === 'later' ? { ...left, from: middle } : { ...left, to: middle };
  }
  return left;
}

/**
 * A span of time in which some of the instances were created, and the middle of which has instances on both
 * sides: a quarter of them at least, if that can be, so that it still tells when the newest are gone. Throws
 * `NotExercised` when no instant tells two of them apart.
 */
export async function findSpan(api: Lists, ids: readonly string[]): Promise<Span> {
  // A begin that is ignored tells nothing; an end may still do.
  const span = (await spanBy(api, 'begin', ids)) ?? (await spanBy(api, 'end', ids));
  if (span !== undefined) return span;
  throw new NotExercised('no date tells the instances of the account apart');
}

async function spanBy(
  api: Lists,
  bound: 'begin' | 'end',
  ids: readonly string[],
): Promise<Span | undefined> {
  let best: { readonly span: Span; readonly fewer: number } | undefined;
  await bisected(ever(), async (middle, span) => {
    const window = await readWindow(api, { [`date_range_${bound}`]: instant(middle) });
    requireReadable(window);
    const inside = new Set(window.ids);
    const count = ids.filter((id) => inside.has(id)).length;
    const later = bound === 'begin' ? count : ids.length - count;
    const fewer = Math.min(count, ids.length - count);
    if (fewer > (best?.fewer ?? 0)) best = { span: centred(middle, span), fewer };
    if (best !== undefined && best.fewer >= ids.length / 4) return 'enough';
    return later > ids.length / 2 ? 'later' : 'earlier';
  });
  return best?.span;
}

/**
 * Whether some instant tells two instances apart. False when they were created together, as far as the windows
 * tell: then their order is open. A full page may lack an instance that is in the window, and tells nothing.
 */
export async function createdApart(api: Lists, one: string, other: string): Promise<boolean> {
  let isApart = false;
  await bisected(ever(), async (middle) => {
    const window = await readWindow(api, { date_range_begin: instant(middle) });
    requireReadable(window);
    const [first, second] = [window.ids.includes(one), window.ids.includes(other)];
    isApart = window.end === 'last-page' && first !== second;
    if (isApart) return 'enough';
    return window.end !== 'last-page' || first ? 'later' : 'earlier';
  });
  if (!isApart) return false;
  // On whichever page: what went away meanwhile is in no window.
  const { ids } = await readInstances(api, {}, { mostPages: WHOLE_PAGES });
  return ids.includes(one) && ids.includes(other);
}

/** The instants between which an instance was created, as far as windows tell that begin there. */
function createdBetween(id: string, observations: readonly WindowObservation[]): Span {
  const begins = observations.filter(({ bound }) => bound === 'begin');
  const of = (isInside: boolean) =>
    begins.filter(({ ids }) => ids.includes(id) === isInside).map(({ at }) => at);
  const all = ever();
  const [from, to] = [Math.max(all.from, ...of(true)), Math.min(all.to, ...of(false))];
  return from < to ? { from, to } : all;
}

/**
 * Finds by halving, to the millisecond, where the windows stop having one instance, from what other windows told of it.
 * Throws `Inconclusive` when it goes away meanwhile.
 */
export async function findBoundary(
  api: Lists,
  id: string,
  observations: readonly WindowObservation[] = [],
): Promise<Boundary> {
  const firstPages = new Map<string, Exchange | undefined>();
  const has = async (query: ListQuery): Promise<boolean> => {
    const window = await readWindow(api, query);
    requireReadable(window);
    firstPages.set(JSON.stringify(query), window.exchanges[0]);
    return window.ids.includes(id);
  };
  const { from: inside } = await bisected(createdBetween(id, observations), async (middle) =>
    (await has({ date_range_begin: instant(middle) })) ? 'later' : 'earlier',
  );
  let firstEnd = inside;
  while (firstEnd < inside + 2 && !(await has({ date_range_end: instant(firstEnd) })))
    firstEnd += 1;
  const { ids } = await readWindow(api, {});
  if (!ids.includes(id)) throw new Inconclusive('the instance went away while it was dated');
  const exchanges = Array.from(firstPages.values())
    .slice(-4)
    .filter((exchange) => exchange !== undefined);
  return { lastBegin: inside, firstEnd, exchanges };
}

/** What dates finer than a millisecond tell of two bounds that miss each other by one. */
export interface FineMeeting {
  /** `met`: both bounds have one instant; `missed`: none has it; `unread`: the filters read no such dates. */
  readonly outcome: 'met' | 'missed' | 'unread';
  /** The last date from which on the instance is there, and the next one. */
  readonly around: readonly [string, string];
  readonly exchanges: readonly Exchange[];
}

/** Digits of a second that a service may read, finest first. */
const DIGITS = [9, 6] as const;

/** Filters that cut or round what they read to microseconds let an instance go at these places, however finely it was dated. */
const CUT_AT_NS = 500;
/** Filters that read dates as floating numbers are off by less. */
const FLOATING_NS = 1_000;

/** True where filters let go of an instance at a place that they must have read themselves. */
function isReadFinely(ns: number): boolean {
  return ns > FLOATING_NS && ns < MS_IN_NS - FLOATING_NS && ns % CUT_AT_NS !== 0;
}

/**
 * Whether some instant within the millisecond after which a boundary misses is within both bounds, in the finest times
 * that the filters read. A clock of floating numbers is finer than microseconds, and than filters that read no more;
 * nothing is finer than nanoseconds, so what misses there is exclusive.
 */
export async function meetsWithin(
  api: Lists,
  id: string,
  { lastBegin }: Boundary,
): Promise<FineMeeting> {
  const exchanges: Exchange[] = [];
  for (const digits of DIGITS) {
    const unit = 10 ** (9 - digits);
    const dateAt = (place: number): string => fineInstant(lastBegin, place, digits - 3);
    const has = async (bound: 'begin' | 'end', place: number): Promise<boolean> => {
      const window = await readWindow(api, { [`date_range_${bound}`]: dateAt(place) });
      exchanges.push(...window.exchanges.slice(0, 1));
      return window.ids.includes(id);
    };
    if (!(await has('begin', 0))) continue;
    const { from: inside, to: outside } = await bisected(
      { from: 0, to: MS_IN_NS / unit },
      async (middle) => ((await has('begin', middle)) ? 'later' : 'earlier'),
    );
    // All four, side by side: what goes away meanwhile is in none.
    const [first, last] = [await has('end', inside), await has('begin', inside)];
    const [after, gone] = [await has('end', outside), !(await has('begin', outside))];
    const isMissed = !first && last && after && gone && isReadFinely(outside * unit);
    return {
      outcome: first && last ? 'met' : isMissed ? 'missed' : 'unread',
      around: [dateAt(inside), dateAt(outside)],
      exchanges: exchanges.slice(-4),
    };
  }
  return { outcome: 'unread', around: ['', ''], exchanges: [] };
}

/** The instant so many places after a whole millisecond; `digits` of them make one. */
function fineInstant(ms: number, place: number, digits: number): string {
  return `${instant(ms).slice(0, -1)}${String(place).padStart(digits, '0')}Z`;
}

function requireReadable(window: Listing): void {
  if (window.readable) return;
  const status = window.exchanges.at(-1)?.response?.status;
  throw new Inconclusive(`a date window is answered with ${status}, so nothing can be dated`);
}

/** A list that one date bound gave; its newest page. */
export async function observeWindow(
  api: ComputeApi,
  bound: WindowObservation['bound'],
  at: number,
): Promise<WindowObservation> {
  const { ids, exchanges } = await readWindow(api, { [`date_range_${bound}`]: instant(at) });
  return { bound, at, ids, exchanges };
}

interface Interval extends Span {
  /** Instances that the window from its beginning on has, and the one from its end on has not. */
  readonly ids: readonly string[];
}

/**
 * Windows that begin at instants between the creations of `ids`: the time of all of them is halved, then the
 * halves that still hold several, widest first, until each stands alone or `most` windows are read. Windows that
 * are not the beginning of `ids` are joined by those that end there, to tell which of them is wrong.
 */
export async function chronology(
  api: ComputeApi,
  ids: readonly string[],
  most: number,
): Promise<readonly WindowObservation[]> {
  const observations: WindowObservation[] = [];
  let left: readonly Interval[] = [{ ...ever(), ids }];
  while (left.length > 0 && observations.length < most) {
    // Those of one width do not depend on one another: on a slow target they are read at once.
    const halved = await Promise.all(
      left.slice(0, most - observations.length).map(async (interval) => halve(api, interval, ids)),
    );
    observations.push(...halved.flatMap((one) => one.observations));
    left = halved.flatMap(({ halves }) =>
      halves.filter(({ from, to, ids: within }) => within.length > 1 && to - from > 1),
    );
  }
  return observations;
}

async function halve(api: ComputeApi, { from, to, ids: within }: Interval, ids: readonly string[]) {
  const at = middleOf({ from, to });
  const begin = await observeWindow(api, 'begin', at);
  const inside = new Set(begin.ids);
  const expected = ids.filter((id) => inside.has(id));
  const isBeginning = expected.every((id, index) => id === ids[index]);
  return {
    observations: isBeginning ? [begin] : [begin, await observeWindow(api, 'end', at)],
    halves: [
      { from, to: at, ids: within.filter((id) => !inside.has(id)) },
      { from: at, to, ids: within.filter((id) => inside.has(id)) },
    ],
  };
}

/** Pairs that changed places and are dated: each takes some forty windows. */
const DATED_PAIRS = 3;

/**
 * Whether two walks give the same instances in another order, and no two that changed places can be told apart by
 * a date. False for walks in the same order, and for those that differ by more.
 */
export async function differsByTies(
  api: ComputeApi,
  expected: readonly string[],
  actual: readonly string[],
): Promise<boolean> {
  const pairs = inversions(expected, actual, DATED_PAIRS) ?? [];
  for (const { first, second } of pairs) {
    if (await createdApart(api, first, second)) return false;
  }
  return pairs.length > 0;
}
