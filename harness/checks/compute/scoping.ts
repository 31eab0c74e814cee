/** A key sees nothing of other accounts, and nothing that policy denies (compute#overview/scoped, #authentication). */

import { isDeepStrictEqual } from 'node:util';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { canonicalJson, isObject, jsonBody } from '../../exchange/body.ts';
import { answered, expectAnswer, isInformative, refusedWith } from './answers.ts';
import { idOf, idsOf, instancesOf, isSuccess, textOf } from './records.ts';
import { codeOf } from './envelope.ts';
import { isDying, isInstanceState } from './lifecycle.ts';
import { LAG_MS } from './settling.ts';
import { nextCursor } from '../collection/bounds.ts';
import type { ComputeFold } from './operation.ts';

/** A page shows no instance of another account; a refusal shows none either. */
export function showsNoneOf(foreign: readonly string[], page: Exchange, what: string): Judgement {
  if (foreign.length === 0 || !isInformative(page)) return notObserved;
  const others = new Set(foreign);
  const shown = idsOf(instancesOf(page) ?? []).filter((id) => others.has(id));
  return expectThat(
    shown.length === 0,
    `${what} showed instances of another account.`,
    { expected: 'none of them', actual: shown.slice(0, 5) },
    page,
  );
}

/**
 * An action on an instance of another account gets 404. A 403 may come from a policy that denies the key this action on any
 * instance: `unknown`, the response for an id that does not exist, is then a 403 too. Without `unknown`, a 403 is not
 * judged.
 */
export function foreignNotFound(
  foreign: Exchange,
  unknown: Exchange | undefined,
  what: string,
): Judgement {
  const isPolicy = unknown === undefined || unknown.response?.status === 403;
  if (foreign.response?.status === 403 && isPolicy) return notObserved;
  return refusedWith(foreign, 404, what);
}

/** One caller's reading equals another's. Not observed when the first caller's repeated reading differs from its first. */
export function sameForBoth<T>(
  readings: { readonly first: T; readonly other: T; readonly repeated: T },
  what: string,
  ...exchanges: readonly Exchange[]
): Judgement {
  const { first, other, repeated } = readings;
  if (!isDeepStrictEqual(first, repeated)) return notObserved;
  return expectThat(
    isDeepStrictEqual(first, other),
    `Two accounts read different ${what}.`,
    { expected: first, actual: other },
    ...exchanges,
  );
}

/** A body nested deeper than this is hostile, and its shape does not matter. */
const SHAPE_DEPTH = 32;

/** The shape of a JSON value: member names and types without values. A list has the set of its items' shapes. */
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
 * Status, code and shape of a response equal those for a resource that does not exist; message text and ids may differ. One
 * match among several such responses is enough: their members may vary by chance.
 */
export function sameRefusal(foreign: Exchange, ...absent: readonly Exchange[]): Judgement {
  const conclusive = absent.filter((one) => isInformative(one));
  if (!isInformative(foreign) || conclusive[0] === undefined) return notObserved;
  return expectThat(
    conclusive.some((one) => isAlike(foreign, one)),
    'What belongs to somebody else is told apart from what does not exist.',
    { expected: answered(conclusive[0]), actual: answered(foreign) },
    foreign,
    ...conclusive,
  );
}

function isAlike(foreign: Exchange, absent: Exchange): boolean {
  const [left, right] = [jsonBody(foreign), jsonBody(absent)];
  return (
    foreign.response?.status === absent.response?.status &&
    codeOf(foreign) === codeOf(absent) &&
    left.ok === right.ok &&
    (!left.ok || !right.ok || shapeOf(left.value) === shapeOf(right.value))
  );
}

/** An instance of a list, and the whole lists that lacked it since it was first seen there. */
interface Listed {
  readonly since: number;
  readonly lacking: readonly Exchange[];
}

/** Whole lists without an instance, before that is no chance. */
const LISTS_THAT_TELL = 2;

/**
 * An instance that lives is in every list that is read to its end, between two lists that show it alive: each of these is
 * further away than a copy may lag (compute#list-instances). Only answers to one and the same query are compared.
 */
export const staysListed: ComputeFold<Listed> = {
  requirement: 'compute.list-instances.own-listed',
  judge: ({ exchange, kind, records }, known) => {
    const { credential, query } = exchange.request;
    const names = [...new URLSearchParams(query).keys()];
    if (kind !== 'list' || names.some((name) => name !== 'size') || nextCursor(exchange) !== null)
      return { judgement: notObserved, learned: [] };
    const list = `${credential} ${query} `;
    const shown = new Map(
      records.map((record) => [`${list}${idOf(record)}`, textOf(record, 'status')]),
    );
    const isLater = (at: number): boolean => exchange.startedAt > at + LAG_MS;
    const again = [...shown].flatMap(([key, state]) => {
      const { since = Infinity, lacking = [] } = known.get(key) ?? {};
      const last = Math.max(since, ...lacking.map((page) => endOf(page)));
      return isInstanceState(state) && !isDying(state) && isLater(last) ? [{ key, lacking }] : [];
    });
    const broken = again.find(({ lacking }) => lacking.length >= LISTS_THAT_TELL);
    const judgement =
      broken === undefined
        ? pass(again.length)
        : violated(
            'Lists lack an instance that those before and after them show.',
            { expected: broken.key.slice(list.length), actual: 'not there' },
            ...broken.lacking,
            exchange,
          );
    const learned = [...shown].map(([key, state]) => {
      const listed = known.get(key) ?? { since: endOf(exchange), lacking: [] };
      return [key, isDying(state) ? undefined : listed] as const;
    });
    const lost = [...known].flatMap(([key, { since, lacking }]) =>
      key.startsWith(list) && !shown.has(key) && isLater(since)
        ? [[key, { since, lacking: [...lacking, exchange].slice(-LISTS_THAT_TELL) }] as const]
        : [],
    );
    return { judgement, learned: [...learned, ...lost] };
  },
};

/** A valid key without access gets 403 or 404. A success is not judged, since the key may have access there. */
export function keptOut(exchange: Exchange): Judgement {
  if (isSuccess(exchange)) return notObserved;
  const isRight = [403, 404].includes(exchange.response?.status ?? 0);
  const message = 'A valid key that policy keeps out was not refused with 403 or 404.';
  return expectAnswer(exchange, isRight, message, '403 or 404');
}

/** An account without instances gets an empty list. Items of no other known account are not judged: they may be new. */
export function emptyForEmptyAccount(exchange: Exchange, foreign: readonly string[]): Judgement {
  const records = instancesOf(exchange);
  if (exchange.response?.status !== 200 || records === undefined) {
    const message = 'A valid key of an account without instances was not served a list.';
    return expectAnswer(exchange, false, message, '200 with an empty list');
  }
  if (records.length === 0) return pass();
  const leaked = idsOf(records).find((id) => foreign.includes(id));
  if (leaked === undefined) return notObserved;
  return violated(
    'An account without instances sees those of another.',
    { expected: 'an empty list', actual: leaked },
    exchange,
  );
}

/** A list as read. When members that the target file does not bind change between reads, only the bound ones are compared. */
interface ReadList {
  readonly ids: readonly string[];
  readonly records: readonly unknown[];
  readonly exchanges: readonly Exchange[];
}

/** Two accounts read the same presets; the first one reads them again after the other. */
export function samePresets(first: ReadList, other: ReadList, later: ReadList): Judgement {
  if (first.ids.length === 0 && other.ids.length === 0) return notObserved;
  const judged = (contentOf: (list: ReadList) => readonly string[]) => {
    const [one, two, three] = [first, other, later].map((list) => contentOf(list).toSorted());
    const readings = { first: one, other: two, repeated: three };
    return sameForBoth(readings, 'presets', ...other.exchanges, ...first.exchanges);
  };
  const whole = judged(({ records }) => records.map((record) => canonicalJson(record)));
  return whole.seen > 0 ? whole : judged(({ ids }) => ids);
}
