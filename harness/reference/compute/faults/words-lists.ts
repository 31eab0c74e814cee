/** Functions for faults of the two lists: filters, searches and sorts that fail for some queries, misread parameters. */

import type { RequestContext } from '../context.ts';
import {
  type Cursor,
  type Instance,
  type InstanceQuery,
  type InstanceSortField,
  invalid,
  type Operation,
  type PagedQuery,
  type PresetQuery,
  type SortKey,
} from '../model.ts';
import type { Rows } from '../../fault.ts';
import { amend, fails, type Patch, refusalIn, replace, rows } from './words.ts';

/** The deployment accepts invalid cursors. `instead` says which cursor it uses. */
export function taking(
  list: Cursor['list'],
  instead: (text: string, context: RequestContext) => Cursor,
): Patch {
  return replace('decodeCursor', (original, text, of, context) => {
    if (of !== list) return original(text, of, context);
    const refusal = refusalIn(() => original(text, of, context));
    return refusal === undefined ? original(text, of, context) : instead(text, context);
  });
}

/** A position that no decoded cursor can have, since JSON has no NaN. */
export const beyondEnd = { key: undefined, place: Number.NaN } as const;

type Changed<Query> = (query: Query, context: RequestContext) => Query;

/** Selects instances by another query than the requested one. */
export function instancesBy(change: Changed<InstanceQuery>): Patch {
  return replace('selectInstances', (original, query, after, context) =>
    original(change(query, context), after, context),
  );
}

/** Selects presets by another query than the requested one. */
export function presetsBy(change: Changed<PresetQuery>): Patch {
  return replace('selectPresets', (original, query, after, context) =>
    original(change(query, context), after, context),
  );
}

type Test<Query> = (query: Query, context: RequestContext) => boolean;

/** A list whose items are selected as if a parameter had not been given, by the queries in which that happens. */
const forgetting =
  <Query>(selectedBy: (change: Changed<Query>) => Patch) =>
  (parameter: keyof Query, table: Rows<Test<Query>>) => {
    const without = (query: Query): Query => ({ ...query, [parameter]: undefined });
    return rows(
      (when: Test<Query>) =>
        selectedBy((query, context) => (when(query, context) ? without(query) : query)),
      table,
    );
  };

export const forgets = forgetting(instancesBy);
export const forgetsOfPresets = forgetting(presetsBy);

/** On the second page and after, where the query also has `beside`. */
function later<Query extends PagedQuery>(beside?: keyof Query) {
  return (query: Query): boolean =>
    query.page > 1 && (beside === undefined || query[beside] !== undefined);
}

export const instancesLater = later<InstanceQuery>;
export const presetsLater = later<PresetQuery>;

/** Refuses some search texts. */
export function refusesText(
  operation: 'list-instances' | 'presets',
  refused: (text: string) => boolean,
  error: () => Error = () => invalid('No such text.'),
): Patch {
  return fails(
    'parseFreeText',
    error,
    (_name, text, context) => context.operation === operation && refused(text),
  );
}

/** A search for some characters fails with a 500. */
export function crashingSearch(operation: 'list-instances' | 'presets', characters: RegExp): Patch {
  return refusesText(
    operation,
    (text) => characters.test(text),
    () => new Error('The database refused the text.'),
  );
}

export type QueryTest = (query: InstanceQuery) => boolean;

/** A sort by a field uses another key. */
export function goesBy(
  field: InstanceSortField,
  key: (right: SortKey, instance: Instance) => SortKey,
  when: QueryTest = () => true,
): Patch {
  return amend('instanceSortKey', (right, instance, asked, query) =>
    asked === field && when(query) ? key(right, instance) : right,
  );
}

/** Reads an unknown value of a parameter (or one of `some`) as `word`. */
export function takesUnknownFor(
  operation: Operation,
  parameter: 'sort_field' | 'sort_direction',
  word: string,
  some?: readonly string[],
): Patch {
  return (rules) => ({
    parseWord: (name, text, words, context) => {
      const isMeant = name === parameter && context.operation === operation;
      const isTaken = isMeant && some?.includes(text) !== false && !words.some((w) => w === text);
      return rules.parseWord(name, isTaken ? word : text, words, context);
    },
  });
}

/** Refuses some values of the region filter. */
export function refusesRegion(
  operation: Operation,
  refused: (text: string, context: RequestContext) => boolean,
  refusal: () => Error,
): Patch {
  return fails(
    'parseRegion',
    refusal,
    (text, context) => context.operation === operation && refused(text, context),
  );
}

/** Length that exceeds a typical name column. */
const LONG = 40;

/** Whether a text is longer than a typical name column. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Whether a text is neither a region code nor a location. */
export function matchesNothing(text: string, { world }: RequestContext): boolean {
  return (
    !['UAE', 'FR', 'US'].includes(text) && !world.presets.some(({ location }) => location === text)
  );
}

/** In a search text of underscores alone, each underscore matches any character. */
export function anySigns(operation: 'list-instances' | 'presets'): Patch {
  return (rules) => ({
    textMatches: (field, text, context) =>
      context.operation === operation && /^_+$/u.test(text)
        ? field.length >= text.length
        : rules.textMatches(field, text, context),
  });
}

/** Number of instances that does not fit on the largest page. */
export const MORE_THAN_A_PAGE = 230;

/** A search text as the pattern of a database's LIKE. */
export function likePattern(text: string): string {
  return text
    .replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
}

export function isLike(field: string, text: string): boolean {
  return new RegExp(`^${likePattern(text)}$`, 'su').test(field);
}

/** A search that also reads its text as a regular expression, where it is a valid one. */
export function asExpression(operation: 'list-instances' | 'presets'): Patch {
  return amend('textMatches', (asText, field, text, context) => {
    if (asText || context.operation !== operation) return asText;
    try {
      return new RegExp(text, 'isu').test(field);
    } catch {
      return false;
    }
  });
}
