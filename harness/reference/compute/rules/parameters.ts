/** Query parameters: how they are read, and what they may be. */

import type { RequestContext } from '../context.ts';
import { regionCodes } from '../model.ts';
import { type StatusFilter, statusFilters } from '../queries.ts';
import { invalid } from '../refusal.ts';

/** Bounds of `size` on both lists. */
const MIN_SIZE = 1;
const MAX_SIZE = 200;
/** Longest free text. */
const MAX_FREE_TEXT = 255;

/** All parameters in their order, with escapes decoded. @throws {Refusal} 400 for broken escapes. */
export function readQuery(context: RequestContext): readonly (readonly [string, string])[] {
  return context.query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', ...rest] = piece.split('=');
      return [unescaped(name, context), unescaped(rest.join('='), context)];
    });
}

function unescaped(text: string, context: RequestContext): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    if (context.choices.brokenEscapes === 'literal') return spaced;
    throw invalid('The query has a percent escape that is not UTF-8.');
  }
}

/** One parameter; undefined when it is absent. @throws {Refusal} 400 where a repeated one is refused. */
export function readParameter(name: string, context: RequestContext): string | undefined {
  const { repeatedParameters, emptyParameters } = context.choices;
  const values = context.rules
    .readQuery(context)
    .filter(([candidate]) => candidate === name)
    .map(([, value]) => value);
  if (values.length > 1 && repeatedParameters === 'refuse') {
    throw invalid(`${name} may be given once.`);
  }
  const value = repeatedParameters === 'last' ? values.at(-1) : values[0];
  return value === '' && emptyParameters === 'absent' ? undefined : value;
}

/** @throws {Refusal} 400 for a parameter that is not known, where this deployment minds. */
export function refuseUnknownParameters(known: readonly string[], context: RequestContext): void {
  const query = context.rules.readQuery(context);
  if (context.choices.unknownParameters === 'ignore') return;
  const unknown = query.find(([name]) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`There is no parameter ${unknown[0]}.`);
}

/** A page size: an integer of 1 to 200. @throws {Refusal} 400 */
export function parseSize(text: string, context: RequestContext): number {
  const spelling =
    context.choices.sizeSpelling === 'numeric' ? /^[+-]?\d+(?:\.0+)?$/u : /^-?(?:0|[1-9]\d*)$/u;
  const size = spelling.test(text) ? Number(text) : Number.NaN;
  if (!(size >= MIN_SIZE && size <= MAX_SIZE)) {
    throw invalid(`size must be an integer from ${MIN_SIZE} to ${MAX_SIZE}.`);
  }
  return size;
}

/** Free text of at most 255 characters. @throws {Refusal} 400 */
export function parseFreeText(name: string, text: string, context: RequestContext): string {
  if (context.rules.textLength(text, context) > MAX_FREE_TEXT) {
    throw invalid(`${name} may have ${MAX_FREE_TEXT} characters.`);
  }
  return text;
}

/** How long a text is, in the unit of this deployment. */
export function textLength(text: string, context: RequestContext): number {
  const { lengthCounts } = context.choices;
  if (lengthCounts === 'utf-16') return text.length;
  return lengthCounts === 'bytes' ? Buffer.byteLength(text) : Array.from(text).length;
}

/** One of a set of words. @throws {Refusal} 400 */
export function parseWord<const W extends string>(
  name: string,
  text: string,
  words: readonly W[],
  context: RequestContext,
): W {
  const wanted = context.choices.enumCase === 'any' ? text.toUpperCase() : text;
  const word = words.find((candidate) => candidate === wanted);
  if (word === undefined) throw invalid(`${name} must be one of ${words.join(', ')}.`);
  return word;
}

/** The state that a status filter names; lower case only. @throws {Refusal} 400 */
export function parseStatus(text: string): StatusFilter {
  for (const [word, state] of Object.entries(statusFilters)) if (word === text) return state;
  throw invalid(`status must be one of ${Object.keys(statusFilters).join(', ')}.`);
}

/** A region as a filter takes it. Only codes may come in another case: anything else may be a location. */
export function parseRegion(text: string, context: RequestContext): string {
  const code = regionCodes.find((one) => one === text.toUpperCase());
  return context.choices.enumCase === 'any' && code !== undefined ? code : text;
}
