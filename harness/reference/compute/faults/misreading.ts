/** Ways to read a parameter otherwise than the contract says, of one operation alone. */

import type { RequestContext } from '../context.ts';
import type { Operation } from '../model.ts';
import type { Patch } from './answering.ts';
import { fails } from './answering.ts';

/** A word that the parameter does not know is taken for `word`. */
export function takesUnknownFor(
  operation: Operation,
  parameter: 'sort_field' | 'sort_direction',
  word: string,
): Patch {
  return (rules) => ({
    ...rules,
    parseWord: (name, text, words, context) =>
      name === parameter && context.operation === operation
        ? (words.find((known) => known === text) ?? rules.parseWord(name, word, words, context))
        : rules.parseWord(name, text, words, context),
  });
}

/** Fields by which only the other list can be sorted are taken for `word`. */
export function takesFieldsOfOthersFor(
  operation: Operation,
  others: readonly string[],
  word: string,
): Patch {
  return (rules) => ({
    ...rules,
    parseWord: (name, text, words, context) => {
      const isOthers = name === 'sort_field' && others.includes(text);
      return isOthers && context.operation === operation && !words.some((known) => known === text)
        ? rules.parseWord(name, word, words, context)
        : rules.parseWord(name, text, words, context);
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
    (text, context) => context.operation === operation && refused(text, context),
    () => refusal(),
  );
}

/** Longer than many a column. */
const LONG = 40;

/** Whether a text is longer than what is kept in columns of names. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Whether a text ends a quotation too early. */
export function hasQuote(text: string): boolean {
  return /['"]/u.test(text);
}

/** Whether a text is neither a region code nor a location. */
export function isNowhere(text: string, { world }: RequestContext): boolean {
  return (
    !['UAE', 'FR', 'US'].includes(text) && !world.presets.some(({ location }) => location === text)
  );
}
