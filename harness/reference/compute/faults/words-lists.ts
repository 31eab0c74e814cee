/** The words of faults of the two lists: filters, searches and sorts that count for some queries, and parameters that are misread. */

import type { RequestContext } from '../context.ts';
import {
  type Cursor,
  type Instance,
  type InstanceQuery,
  type InstanceSortField,
  invalid,
  type Operation,
  type PresetQuery,
  type SortKey,
} from '../model.ts';
import { amend, fails, type Patch, refusalIn, replace } from './words.ts';

/** A deployment that takes what no cursor is for a cursor. */
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

/** What no cursor that is read back may hold: JSON has no such number. */
export const beyondEnd = { key: undefined, place: Number.NaN } as const;

/** Instances are selected by another query than the one that was asked. */
export function instancesBy(change: (query: InstanceQuery) => InstanceQuery): Patch {
  return replace('selectInstances', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

/** Presets are selected by another query than the one that was asked. */
export function presetsBy(change: (query: PresetQuery) => PresetQuery): Patch {
  return replace('selectPresets', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

/** Some texts of a search are refused. */
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

/** Searches for some characters are more than the deployment can stand. */
export function crashingSearch(operation: 'list-instances' | 'presets', characters: RegExp): Patch {
  return refusesText(
    operation,
    (text) => characters.test(text),
    () => new Error('The database refused the text.'),
  );
}

export type QueryTest = (query: InstanceQuery) => boolean;

/** Sorts by a field go by another key. */
export function goesBy(
  field: InstanceSortField,
  key: (right: SortKey, instance: Instance) => SortKey,
  when: QueryTest = () => true,
): Patch {
  return amend('instanceSortKey', (right, instance, asked, query) =>
    asked === field && when(query) ? key(right, instance) : right,
  );
}

/** A word that the parameter does not know, or one of some such words, is taken for `word`. */
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

/** Some values of the region filter are refused. */
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

/** Longer than many a column. */
const LONG = 40;

/** Whether a text is longer than what is kept in columns of names. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Whether a text is neither a region code nor a location. */
export function matchesNothing(text: string, { world }: RequestContext): boolean {
  return (
    !['UAE', 'FR', 'US'].includes(text) && !world.presets.some(({ location }) => location === text)
  );
}

/** In a search for nothing but underscores each stands for any sign. */
export function anySigns(operation: 'list-instances' | 'presets'): Patch {
  return (rules) => ({
    textMatches: (field, text, context) =>
      context.operation === operation && /^_+$/u.test(text)
        ? field.length >= text.length
        : rules.textMatches(field, text, context),
  });
}

/** Instances of an account that the largest page does not show whole. */
export const MORE_THAN_A_PAGE = 230;

/** Text as the LIKE of a database reads it. */
export function likePattern(text: string): string {
  return text
    .replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
}

export function isLike(field: string, text: string): boolean {
  return new RegExp(`^${likePattern(text)}$`, 'su').test(field);
}

/** A search that takes what it is asked for as a regular expression, where it is one. */
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
