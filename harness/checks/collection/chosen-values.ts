/** Chooses the values of an account that tell most as filters and as page sizes. */

import { statusFilters } from '../../../schemas/compute/list-instances.ts';
import { wildcardsFor } from './search.ts';
import { textOf, type WireRecord } from '../compute/records.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';

/** The value of the status filter that selects a state, if there is one. */
export function filterOfState(state: unknown): string | undefined {
  return Object.entries(statusFilters).find(([, selected]) => selected === state)?.[0];
}

/** True when a record matches all given filters. Sorts and other parameters select nothing. */
export function matchesQuery(
  record: WireRecord,
  query: {
    readonly status?: string | undefined;
    readonly region?: string | undefined;
    readonly gpu_type?: string | undefined;
  },
): boolean {
  return (
    (query.status === undefined || filterOfState(record['status']) === query.status) &&
    (query.region === undefined || record['region'] === query.region) &&
    (query.gpu_type === undefined || record['gpu_type'] === query.gpu_type)
  );
}

/** The distinct texts of a field, in the order of the records; an empty text is no value to filter by. */
export function distinctTexts(records: readonly WireRecord[], field: string): readonly string[] {
  const texts = records.map((record) => textOf(record, field) ?? '').filter((text) => text !== '');
  return [...new Set(texts)];
}

interface Shared<Field extends string> {
  readonly values: Partial<Readonly<Record<Field, string>>>;
  /** Records that have all of these values; 0 when no record has text in every field. */
  readonly count: number;
}

/** The most frequent combination of values, one for each field. */
export function mostShared<const Field extends string>(
  records: readonly WireRecord[],
  fields: readonly Field[],
): Shared<Field> {
  const groups = new Map<string, Shared<Field>>();
  let most: Shared<Field> = { values: {}, count: 0 };
  for (const record of records) {
    const texts = fields.map((field) => record[field]).filter((text) => typeof text === 'string');
    if (texts.length < fields.length) continue;
    const values: Partial<Record<Field, string>> = {};
    for (const [index, field] of fields.entries()) values[field] = texts[index] ?? '';
    const name = JSON.stringify(texts);
    const group = { values, count: (groups.get(name)?.count ?? 0) + 1 };
    groups.set(name, group);
    if (group.count > most.count) most = group;
  }
  return most;
}

/** A page size, and how many pages after the first would differ if the server dropped the selection. */
export interface ConclusivePages {
  readonly size: number;
  readonly conclusive: number;
}

/** Every walk is compared with one in pages of 200. */
const MAX_SIZE = 199;
/** Pages that a walk may take after the last judged one, since it has to reach the end. */
export const PAGES_TO_THE_END = 2;
/** Pages of a walk that are judged after the first: a cursor made from another cursor may lose what that one held. */
export const LATER_PAGES = 3;

/**
 * The page size with the most conclusive pages. A server that drops the selection continues in the whole list where the
 * page before ended, so a page is conclusive when that stretch has an unselected item. `selected` says for each item of the
 * whole list, in its order, whether it is selected; only pages 2 to `lastPage` count. Undefined when no size has a
 * conclusive page, as when all selected items come first.
 */
export function conclusivePages(
  selected: readonly boolean[],
  lastPage: number,
): ConclusivePages | undefined {
  const positions = selected.flatMap((isSelected, position) => (isSelected ? [position] : []));
  let best: ConclusivePages | undefined;
  const least = Math.max(1, Math.ceil(positions.length / (lastPage + PAGES_TO_THE_END)));
  for (let size = Math.min(MAX_SIZE, Math.ceil(positions.length / 2)); size >= least; size -= 1) {
    let conclusive = 0;
    for (let page = 2; page <= lastPage && (page - 1) * size < positions.length; page += 1) {
      const from = (positions[(page - 1) * size - 1] ?? -1) + 1;
      if (selected.slice(from, from + size).includes(false)) conclusive += 1;
    }
    if (conclusive > (best?.conclusive ?? 0)) best = { size, conclusive };
  }
  return best;
}

/** Divisors of `length` that need one to `mostPages` pages of at most 200 items, largest first. */
export function exactSizes(length: number, mostPages: number): readonly number[] {
  return Array.from({ length: mostPages }, (_, index) => index + 1)
    .filter((pages) => length % pages === 0)
    .map((pages) => length / pages)
    .filter((size) => size >= 1 && size <= 200);
}

/** Names that are cut short, to find a server that takes a part for the whole. */
const CUT_NAMES = 2;

/** All region codes when some text is a region code; otherwise none. */
export function codesIn(texts: readonly string[]): readonly string[] {
  return regionCodes.some((code) => texts.includes(code)) ? regionCodes : [];
}

/** The distinct names, the most frequent first: a further filter leaves out some of their records. */
export function byOffers(names: readonly string[]): readonly string[] {
  const offers = (name: string) => names.filter((one) => one === name).length;
  const distinct = [...new Set(names)].filter((name) => name !== '');
  return distinct.toSorted((one, other) => offers(other) - offers(one));
}

/** Texts that are no model but resemble one: a prefix, a model with a suffix, two models at once, and wildcards. */
export function noModels(models: readonly string[]): readonly string[] {
  const beginnings = models.flatMap((model) => Array.from(model).slice(0, 1));
  const beginning = beginnings.filter((text) => /^[a-z]$/iu.test(text)).slice(0, 1);
  const more = models.slice(0, 1).map((model) => `${model} No Such GPU`);
  const two = models.length > 1 ? [models.slice(0, 2).join(',')] : [];
  const texts = ['No Such GPU 0', ...beginning, ...more, ...two, ...wildcardsFor(models[0] ?? '')];
  return texts.filter((text) => !models.includes(text));
}

/** Names without their first or last character, and wildcards. */
export function cutNames(names: readonly string[]): readonly string[] {
  return names
    .slice(0, CUT_NAMES)
    .flatMap((name, index) => [
      name.slice(0, -1),
      name.slice(1),
      ...(index === 0 ? wildcardsFor(name) : []),
    ])
    .filter((part) => part.trim() !== '' && !names.includes(part));
}

/** Names in the other case, and with a trailing blank. */
export function nearNames(names: readonly string[]): readonly string[] {
  return names
    .slice(0, CUT_NAMES)
    .flatMap((name) => [
      name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase(),
      `${name} `,
    ])
    .filter((other) => !names.includes(other));
}
