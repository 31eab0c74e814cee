/** Reads requests: parameters, dates, bodies, and the instance in the path. */

import { headerValues, type RequestContext } from '../context.ts';
import {
  type Instance,
  invalid,
  isRecord,
  notFound,
  regionCodes,
  type StatusFilter,
  statusFilters,
} from '../model.ts';

/** Bounds of `size` in both lists. */
const MIN_SIZE = 1;
const MAX_SIZE = 200;
/** Maximum length of a free-text search. */
const MAX_FREE_TEXT = 255;

/** All parameters in order, decoded. @throws {Refusal} 400 for invalid percent escapes */
function readQuery(context: RequestContext): readonly (readonly [string, string])[] {
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
    if (context.choices.brokenUtf8 === 'literal') return spaced;
    throw invalid('The query has a percent escape that is not UTF-8.');
  }
}

/** One parameter, or undefined. @throws {Refusal} 400 where a repeated parameter is refused */
export function readParameter(name: string, context: RequestContext): string | undefined {
  const { repeatedParameters, emptyParameters } = context.choices;
  const values = readQuery(context)
    .filter(([candidate]) => candidate === name)
    .map(([, value]) => value);
  if (values.length > 1 && repeatedParameters === 'refuse') {
    throw invalid(`${name} may be given once.`);
  }
  const value = repeatedParameters === 'last' ? values.at(-1) : values[0];
  return value === '' && emptyParameters === 'absent' ? undefined : value;
}

/** @throws {Refusal} 400 for an unknown parameter, if this deployment refuses those */
export function refuseUnknownParameters(known: readonly string[], context: RequestContext): void {
  const query = readQuery(context);
  if (context.choices.unknownParameters === 'ignore') return;
  const unknown = query.find(([name]) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`There is no parameter ${unknown[0]}.`);
}

/** A page size, an integer from 1 to 200. @throws {Refusal} 400 */
export function parseSize(text: string, context: RequestContext): number {
  const spelling =
    context.choices.sizeSpelling === 'numeric' ? /^[+-]?\d+(?:\.0+)?$/u : /^-?(?:0|[1-9]\d*)$/u;
  const size = spelling.test(text) ? Number(text) : Number.NaN;
  if (!(size >= MIN_SIZE && size <= MAX_SIZE)) {
    throw invalid(`size must be an integer from ${MIN_SIZE} to ${MAX_SIZE}.`);
  }
  return size;
}

/** A search text of at most 255 characters. @throws {Refusal} 400 */
export function parseFreeText(name: string, text: string, context: RequestContext): string {
  if (textLength(text, context) > MAX_FREE_TEXT) {
    throw invalid(`${name} may have ${MAX_FREE_TEXT} characters.`);
  }
  return text;
}

/** The length of a text in the unit of this deployment. */
function textLength(text: string, context: RequestContext): number {
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

/** The state that a status filter selects. Lower case only. @throws {Refusal} 400 */
export function parseStatus(text: string, _context: RequestContext): StatusFilter {
  for (const [word, state] of Object.entries(statusFilters)) if (word === text) return state;
  throw invalid(`status must be one of ${Object.keys(statusFilters).join(', ')}.`);
}

/** The value of a region filter. Only a code may change case, since any other value may be a location. */
export function parseRegion(text: string, context: RequestContext): string {
  const code = regionCodes.find((one) => one === text.toUpperCase());
  return context.choices.enumCase === 'any' && code !== undefined ? code : text;
}

const calendar = String.raw`(?<year>\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|(?<basicMonth>\d\d)(?<basicDay>\d\d))`;
const clock = String.raw`(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,30}))?)?)?`;
const offset = String.raw`(?:(?<utc>[Zz])|(?<sign>[-+−])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)`;
const dateTime = new RegExp(`^${calendar}(?:[Tt ]${clock}${offset}?)?$`, 'u');

/** The instant of a date, in milliseconds since the epoch, with fractions. @throws {Refusal} 400 for an invalid date */
export function parseDate(name: string, text: string, context: RequestContext): number {
  const parts = dateTime.exec(text)?.groups;
  const instant = parts === undefined ? undefined : instantOf(parts);
  const whole = parts?.['hour'] !== undefined && (parts['utc'] ?? parts['sign']) !== undefined;
  if (instant === undefined || (!whole && context.choices.partialDates === 'refuse')) {
    throw invalid(`${name} must be an ISO 8601 date and time, as in 2026-01-31T12:00:00Z.`);
  }
  return instant;
}

function instantOf(parts: Readonly<Record<string, string | undefined>>): number | undefined {
  const read = (name: string, other?: string): number =>
    Number(parts[name] ?? (other === undefined ? undefined : parts[other]) ?? 0);
  const [year, month, day] = [read('year'), read('month', 'basicMonth'), read('day', 'basicDay')];
  const [hour, minute, second] = [read('hour'), read('minute'), read('second')];
  const fraction = Number(`0.${parts['fraction'] ?? '0'}`) * 1000;
  const midnightAfter = hour === 24 && minute === 0 && second === 0 && fraction === 0;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  // Second 60, a leap second, becomes the following instant.
  if ((hour > 23 && !midnightAfter) || minute > 59 || second > 60) return undefined;
  const [offsetHour, offsetMinute] = [read('offsetHour'), read('offsetMinute')];
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const minutes = (parts['sign'] === '+' ? 1 : -1) * (offsetHour * 60 + offsetMinute);
  const date = new Date(0);
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() + fraction - minutes * 60_000;
}

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

/** A date in the format of this deployment's records. */
export function formatDate(instant: number, context: RequestContext): string {
  const text = new Date(instant).toISOString();
  return {
    milliseconds: text,
    seconds: `${text.slice(0, 19)}Z`,
    microseconds: `${text.slice(0, 23)}000Z`,
    offset: `${text.slice(0, 19)}+00:00`,
  }[context.choices.dates];
}

/** Maximum length of a reason note. */
const MAX_REASON_NOTE = 10_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu;

/** Whether a path part is a well-formed id. */
export function isInstanceId(text: string, _context: RequestContext): boolean {
  return uuid.test(text);
}

/** The instance that the path names. @throws {Refusal} 404 if there is none that the caller may see */
export function findInstance(context: RequestContext): Instance {
  const id = context.pathParameters['id'] ?? '';
  if (!context.rules.isInstanceId(id, context)) {
    throw context.choices.malformedId === 400 ? invalid('id must be a UUID.') : notFound();
  }
  const instance = context.world.instance(id);
  if (instance === undefined || !context.rules.visibleTo(instance, context)) throw notFound();
  return instance;
}

/** The note of a stop or terminate. @throws {Refusal} 400 for a body that is not a JSON object, or an invalid note */
export function readReasonNote(context: RequestContext): string | undefined {
  const body = context.rules.parseBody(context);
  if (body === undefined) return undefined;
  if (body === null && context.choices.nullNote === 'accept') return undefined;
  if (!isRecord(body)) throw invalid('The body must be a JSON object.');
  const extra = Object.keys(body).find((name) => name !== 'reason_note');
  if (extra !== undefined && context.choices.extraMembers === 'refuse') {
    throw invalid(`The body must not have the member ${extra}.`);
  }
  const note = body['reason_note'];
  if (note === undefined || (note === null && context.choices.nullNote === 'accept')) {
    return undefined;
  }
  return context.rules.parseReasonNote(note, context);
}

/** @throws {Refusal} 400 for a note that is not text of at most 10000 characters */
export function parseReasonNote(note: unknown, context: RequestContext): string {
  if (typeof note !== 'string') throw invalid('reason_note must be text.');
  if (textLength(note, context) > MAX_REASON_NOTE) {
    throw invalid(`reason_note may have ${MAX_REASON_NOTE} characters.`);
  }
  return note;
}

/** The body as JSON, or undefined without a body. @throws {Refusal} 400 for invalid JSON */
export function parseBody(context: RequestContext): unknown {
  if (context.body.byteLength === 0) return undefined;
  const label = headerValues(context, 'content-type')[0] ?? '';
  if (context.choices.bodyLabel === 'json' && !/^application\/(?:\S+\+)?json\b/iu.test(label)) {
    throw invalid('The body must be labelled as application/json.');
  }
  try {
    const fatal = context.choices.brokenUtf8 === 'refuse';
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal }).decode(context.body));
    return value;
  } catch {
    throw invalid('The body is not JSON.');
  }
}
