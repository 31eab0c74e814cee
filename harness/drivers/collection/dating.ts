/** Finds out when instances were created. Their records do not say, but the date filters do. */

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

/** An instant in UTC with milliseconds, as the filters take it. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same instant in local time with an offset such as `+05:30`. */
export function atOffset(ms: number, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const ahead = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return `${instant(ms + ahead).slice(0, -1)}${offset}`;
}

/** A span of time in milliseconds since the epoch; its middle tells instances apart. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The time in which everything was created, if clocks are at most a day apart. */
export const ever = (): Span => ({ from: BEFORE_ALL, to: Date.now() + DAY_MS });

/** The middle of a span by age, since most accounts are young: half of the time since 1970 would be long ago. */
function middleOf({ from, to }: Span): number {
  const later = Date.now() + 2 * DAY_MS;
  return Math.round(later - Math.sqrt((later - from) * (later - to)));
}

/** The widest part of a span with this instant in its middle. */
function centred(middle: number, { from, to }: Span): Span {
  const half = Math.min(middle - from, to - middle);
  return { from: middle - half, to: middle + half };
}

/** Halves a span down to a millisecond, or until `look` has enough; `look` says which half to go on with. */
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
 * A span in which some of the instances were created and whose middle has instances on both sides. Each side has at
 * least a quarter of them, if possible, so that the span still works when the newest are gone. Throws `NotExercised`
 * when no instant tells two of them apart.
 */
export async function findSpan(api: Lists, ids: readonly string[]): Promise<Span> {
  // A server that ignores `date_range_begin` may still apply `date_range_end`.
  const span = (await spanBy(api, 'begin', ids)) ?? (await spanBy(api, 'end', ids));
  if (span !== undefined) return span;
  throw new NotExercised('date windows do not tell the instances of the account apart');
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

/** Whether some instant tells two instances apart; if none does, their order is open. */
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
  // Any page will do: an instance that was removed meanwhile is in no window.
  const { ids } = await readInstances(api, {}, { mostPages: WHOLE_PAGES });
  return ids.includes(one) && ids.includes(other);
}

/** The instants between which an instance was created, as far as windows with a begin date show. */
function createdBetween(id: string, observations: readonly WindowObservation[]): Span {
  const begins = observations.filter(({ bound }) => bound === 'begin');
  const of = (isInside: boolean) =>
    begins.filter(({ ids }) => ids.includes(id) === isInside).map(({ at }) => at);
  const all = ever();
  const [from, to] = [Math.max(all.from, ...of(true)), Math.min(all.to, ...of(false))];
  return from < to ? { from, to } : all;
}

/** Bounds that overlap by more are wrong however much more it is. */
const MAX_OVERLAP_MS = 2_048;

/** The last begin and the first end whose windows contain the instance. Throws `Inconclusive` when it goes away. */
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
  const endHas = async (at: number) => has({ date_range_end: instant(at) });
  let firstEnd = inside;
  while (firstEnd < inside + 2 && !(await endHas(firstEnd))) firstEnd += 1;
  if (firstEnd === inside && (await endHas(inside - 1))) {
    const overlap = { from: inside - MAX_OVERLAP_MS, to: inside - 1 };
    const { to } = await bisected(overlap, async (at) =>
      (await endHas(at)) ? 'earlier' : 'later',
    );
    firstEnd = to;
  }
  const { ids } = await readWindow(api, {});
  if (!ids.includes(id))
    throw new Inconclusive('the instance disappeared while its creation was dated');
  const exchanges = Array.from(firstPages.values())
    .slice(-4)
    .filter((exchange) => exchange !== undefined);
  return { lastBegin: inside, firstEnd, exchanges };
}

/** What dates finer than a millisecond show about two bounds that are one millisecond apart. */
export interface FineMeeting {
  /** `met`: both bounds include one instant; `missed`: neither does; `unread`: the filters do not read such dates. */
  readonly outcome: 'met' | 'missed' | 'unread';
  /** The last date from which a window contains the instance, and the next one. */
  readonly around: readonly [string, string];
  readonly exchanges: readonly Exchange[];
}

/** Digits of a second that a service may read, finest first. */
const DIGITS = [9, 6] as const;

/** Filters that cut or round dates to microseconds drop an instance only at multiples of this. */
const CUT_AT_NS = 500;
/** Filters that read dates as floating-point numbers are off by less than this. */
const FLOATING_NS = 1_000;

/** True when filters drop an instance at a place that proves that they read nanoseconds. */
function isReadFinely(ns: number): boolean {
  return ns > FLOATING_NS && ns < MS_IN_NS - FLOATING_NS && ns % CUT_AT_NS !== 0;
}

/**
 * Whether both bounds include some instant within the millisecond after the boundary, in the finest times that the
 * filters read. Only a miss in nanoseconds proves that a bound is exclusive: a clock of floating-point numbers is
 * finer than microseconds.
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
    // All four again, one right after the other: an instance that was removed meanwhile is in no window.
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

/** The instant that lies `place` units after a whole millisecond; a unit has `digits` further digits. */
function fineInstant(ms: number, place: number, digits: number): string {
  return `${instant(ms).slice(0, -1)}${String(place).padStart(digits, '0')}Z`;
}

function requireReadable(window: Listing): void {
  if (window.readable) return;
  const status = window.exchanges.at(-1)?.response?.status;
  throw new Inconclusive(`a date window is answered with ${status}, so no creation can be dated`);
}

/** The newest page of the window with one date bound. */
export async function observeWindow(
  api: ComputeApi,
  bound: WindowObservation['bound'],
  at: number,
): Promise<WindowObservation> {
  const { ids, exchanges } = await readWindow(api, { [`date_range_${bound}`]: instant(at) });
  return { bound, at, ids, exchanges };
}

interface Interval extends Span {
  /** Instances that are in the window from its beginning on, and not in the one from its end on. */
  readonly ids: readonly string[];
}

/**
 * Windows that begin at instants between the creations of `ids`. The whole time is halved, then the halves that still
 * hold several instances, until each is alone or `most` windows are read. A window that is not the beginning of `ids`
 * is joined by the one that ends there, to tell which of the two is wrong.
 */
export async function chronology(
  api: ComputeApi,
  ids: readonly string[],
  most: number,
): Promise<readonly WindowObservation[]> {
  const observations: WindowObservation[] = [];
  let left: readonly Interval[] = [{ ...ever(), ids }];
  while (left.length > 0 && observations.length < most) {
    // Windows of one width are independent, so a slow target gets them at once.
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

/** Swapped pairs that are dated; each takes about forty windows. */
const DATED_PAIRS = 3;

/** Whether two walks differ only in the order of instances that no date tells apart. */
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
