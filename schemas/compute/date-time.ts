/** Dates with a time, as ISO 8601 and RFC 3339 write them. */

import { z } from 'zod';

const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;
const complete = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * True for a calendar date with a time that exists. The contract names the type and ISO 8601, not a
 * profile of it, so seconds and offset may be missing; a leap second and the end of the day at 24:00 are fine.
 */
export function isDateTime(text: string): boolean {
  const match = form.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const inDay =
    hour < 24 ? minute < 60 && second <= 60 : hour === 24 && minute === 0 && second === 0;
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay && inDay;
}

/** True when a date and time names one instant: seconds and a UTC offset, as RFC 3339 section 5.6 asks. */
export function isInstant(text: string): boolean {
  return isDateTime(text) && complete.test(text);
}

/** An ISO 8601 date and time. */
export const dateTime = z
  .string()
  .refine((text) => isDateTime(text), 'not an ISO 8601 date and time')
  .meta({ format: 'date-time' });
