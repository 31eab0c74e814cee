/** Dates in requests (ISO 8601) and in records. */

import type { RequestContext } from '../context.ts';
import { invalid } from '../refusal.ts';

const calendar = String.raw`(?<year>\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|(?<basicMonth>\d\d)(?<basicDay>\d\d))`;
const clock = String.raw`(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,30}))?)?)?`;
const offset = String.raw`(?:(?<utc>[Zz])|(?<sign>[-+−])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)`;
const dateTime = new RegExp(`^${calendar}(?:[Tt ]${clock}${offset}?)?$`, 'u');

/**
 * The instant that a date names, in milliseconds since the epoch, with fractions.
 * @throws {Refusal} 400 for what is no date
 */
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
  // A leap second is the instant after it.
  if ((hour > 23 && !midnightAfter) || minute > 59 || second > 60) return undefined;
  const [offsetHour, offsetMinute] = [read('offsetHour'), read('offsetMinute')];
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const minutes = (parts['sign'] === '+' ? 1 : -1) * (offsetHour * 60 + offsetMinute);
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() + fraction - minutes * 60_000;
}

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

/** A date as records show it. */
export function formatDate(instant: number, context: RequestContext): string {
  const text = new Date(instant).toISOString();
  return {
    milliseconds: text,
    seconds: `${text.slice(0, 19)}Z`,
    microseconds: `${text.slice(0, 23)}000Z`,
    offset: `${text.slice(0, 19)}+00:00`,
  }[context.choices.dates];
}
