/** Date windows that are shifted, ignored or open at one end. */

import { invalid } from '../model.ts';
import { fails, faultTable, forces, instancesOf, refusalIn, replace } from './words.ts';

/** Where in its millisecond an instance was created. */
const WITHIN_MS = 0.4567;

export const listDatesFaults = faultTable('compute.list-instances', {
  'date-invalid: end-that-is-no-date-is-read-as-year-9999-beside-a-begin': (rules) => ({
    parseDate: (name, text, context) =>
      name === 'date_range_end' &&
      rules.readParameter('date_range_begin', context) !== undefined &&
      refusalIn(() => rules.parseDate(name, text, context)) !== undefined
        ? Date.UTC(9999, 0, 1)
        : rules.parseDate(name, text, context),
  }),
  'date-invalid: begin-beyond-the-calendar-rolls-over': replace(
    'parseDate',
    (original, name, text, context) => {
      const [, year, rest] = /^(\d{4})-13-(.+)$/u.exec(text) ?? [];
      const read = name === 'date_range_begin' && year !== undefined;
      return original(name, read ? `${Number(year) + 1}-01-${rest}` : text, context);
    },
  ),
  'date-invalid: end-beyond-the-day-is-cut': replace(
    'parseDate',
    (original, name, text, context) => {
      const late = name === 'date_range_end' ? text.replace(/T(?:2[5-9]|[3-9]\d):/u, 'T23:') : text;
      return original(name, late, context);
    },
  ),
  'date-begin-inclusive: begin-is-exclusive': () => ({
    matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt > begin,
  }),
  'date-begin-inclusive: begin-is-exclusive-between-milliseconds': {
    says: 'Instances are dated more finely than to the microsecond, and one created exactly at the begin date is left out.',
    besides: ['date-end-inclusive'],
    patch: () => ({
      matchesDateBegin: ({ createdAt }, { begin }) =>
        begin === undefined || createdAt + WITHIN_MS > begin,
      matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt + WITHIN_MS <= end,
    }),
  },
  'date-end-inclusive: end-is-exclusive': () => ({
    matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt < end,
  }),
  'date-window: window-of-one-instant-is-empty': forces(
    'matchesDateEnd',
    false,
    (_instance, query) => query.begin !== undefined && query.begin === query.end,
  ),
  'date-window: window-of-one-instant-is-refused': fails(
    'matchesDateEnd',
    () => invalid('date_range_begin must be before date_range_end.'),
    (_instance, query) => query.begin !== undefined && query.begin === query.end,
  ),
  'date-window: end-is-exclusive-beside-a-begin': forces(
    'matchesDateEnd',
    false,
    (instance, query) =>
      query.begin !== undefined && query.begin !== query.end && instance.createdAt === query.end,
  ),
  'date-window: end-is-ignored-beside-a-begin': forces(
    'matchesDateEnd',
    true,
    (_instance, query) => query.begin !== undefined,
  ),
  'date-begin-future + date-end-past: dates-with-fractions-are-refused': replace(
    'parseDate',
    (original, name, text, context) => {
      if (text.includes('.')) throw invalid(`${name} must be in whole seconds.`);
      return original(name, text, context);
    },
  ),
  'date-begin-future + date-begin: future-begin-is-ignored': forces(
    'matchesDateBegin',
    true,
    (_instance, query, context) => query.begin !== undefined && query.begin > context.now,
  ),
  'date-begin: begin-in-this-century-is-ignored': {
    says: 'A begin date within the life of the account does not count.',
    besides: ['date-end'],
    patch: forces(
      'matchesDateBegin',
      true,
      (_instance, query, context) => query.begin !== undefined && query.begin < context.now,
    ),
  },
  'date-begin: begin-always-leaves-the-oldest-out': forces(
    'matchesDateBegin',
    false,
    (instance, query, context) => query.begin !== undefined && instancesOf(context)[0] === instance,
  ),
  'date-end-past + date-end: end-before-2000-is-ignored': forces(
    'matchesDateEnd',
    true,
    (_instance, query) => query.end !== undefined && query.end < Date.UTC(2000, 0, 1),
  ),
  'date-end-past: leap-days-are-refused': replace('parseDate', (original, name, text, context) => {
    if (text.includes('-02-29')) throw invalid(`${name} is no date.`);
    return original(name, text, context);
  }),
  'date-end: end-goes-by-the-last-change': () => ({
    matchesDateEnd: ({ stateSince }, { end }) => end === undefined || stateSince <= end,
  }),
  'date-end + date-begin: end-takes-a-minute-more': () => ({
    matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt <= end + 60_000,
  }),
  'date-offset: offset-minutes-do-not-count': replace(
    'parseDate',
    (original, name, text, context) =>
      original(name, text.replace(/([+-]\d\d):\d\d$/u, '$1:00'), context),
  ),
  'date-offset: offset-of-an-end-does-not-count': replace(
    'parseDate',
    (original, name, text, context) =>
      original(
        name,
        name === 'date_range_end' ? text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z') : text,
        context,
      ),
  ),
  'date-offset: offset-has-the-wrong-sign': replace('parseDate', (original, name, text, context) =>
    original(name, text.replace(/\+(\d\d:\d\d)$/u, '-$1'), context),
  ),
  'date-of-creation: months-count-from-one': {
    says: 'Dates of windows are read as one month later than they are.',
    patch: replace(
      'parseDate',
      (original, name, text, context) => original(name, text, context) + 30 * 86_400_000,
    ),
  },
});
