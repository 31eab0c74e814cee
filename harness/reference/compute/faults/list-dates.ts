/** Date windows that are shifted, ignored or open at one end. */

import { declareFaults } from '../../fault.ts';
import { invalid } from '../refusal.ts';
import { newestFirstBroken } from './order.ts';
import type { ComputeRules } from '../context.ts';

/** Where in its millisecond an instance was created. */
const WITHIN_MS = 0.4567;

export const listDateFaults = declareFaults<ComputeRules>([
  ...newestFirstBroken,
  {
    name: 'begin-is-exclusive',
    summary: 'An instance created exactly at the begin date is left out.',
    breaks: ['compute.list-instances.date-begin-inclusive'],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt > begin,
    }),
  },
  {
    name: 'end-is-exclusive',
    summary: 'An instance created exactly at the end date is left out.',
    breaks: ['compute.list-instances.date-end-inclusive'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt < end,
    }),
  },
  {
    name: 'begin-is-exclusive-between-milliseconds',
    summary:
      'Instances are dated more finely than to the microsecond, and one created exactly at the begin date is left out.',
    breaks: [
      'compute.list-instances.date-begin-inclusive',
      'compute.list-instances.date-end-inclusive',
    ],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: ({ createdAt }, { begin }) =>
        begin === undefined || createdAt + WITHIN_MS > begin,
      matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt + WITHIN_MS <= end,
    }),
  },
  {
    name: 'window-of-one-instant-is-empty',
    summary: 'A window that begins and ends at one instant has nothing.',
    breaks: ['compute.list-instances.date-window'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: (instance, query, context) =>
        (query.begin === undefined || query.begin !== query.end) &&
        rules.matchesDateEnd(instance, query, context),
    }),
  },
  {
    name: 'window-of-one-instant-is-refused',
    summary: 'A window that begins and ends at one instant is refused.',
    breaks: ['compute.list-instances.date-window'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: (instance, query, context) => {
        if (query.begin !== undefined && query.begin === query.end) {
          throw invalid('date_range_begin must be before date_range_end.');
        }
        return rules.matchesDateEnd(instance, query, context);
      },
    }),
  },
  {
    name: 'end-is-exclusive-beside-a-begin',
    summary: 'An instance created exactly at the end date is left out beside a begin date.',
    breaks: ['compute.list-instances.date-window'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: (instance, query, context) =>
        rules.matchesDateEnd(instance, query, context) &&
        (query.begin === undefined ||
          query.begin === query.end ||
          instance.createdAt !== query.end),
    }),
  },
  {
    name: 'dates-with-fractions-are-refused',
    summary: 'A date with fractions of a second is refused.',
    breaks: ['compute.list-instances.date-begin-future', 'compute.list-instances.date-end-past'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) => {
        if (text.includes('.')) throw invalid(`${name} must be in whole seconds.`);
        return rules.parseDate(name, text, context);
      },
    }),
  },
  {
    name: 'begin-in-this-century-is-ignored',
    summary: 'A begin date within the life of the account does not count.',
    breaks: ['compute.list-instances.date-begin', 'compute.list-instances.date-end'],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: (instance, query, context) =>
        (query.begin !== undefined && query.begin < context.now) ||
        rules.matchesDateBegin(instance, query, context),
    }),
  },
  {
    name: 'future-begin-is-ignored',
    summary: 'A begin date in the future does not count.',
    breaks: ['compute.list-instances.date-begin-future', 'compute.list-instances.date-begin'],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: (instance, query, context) =>
        (query.begin !== undefined && query.begin > context.now) ||
        rules.matchesDateBegin(instance, query, context),
    }),
  },
  {
    name: 'end-before-2000-is-ignored',
    summary: 'An end date before the year 2000 does not count.',
    breaks: ['compute.list-instances.date-end-past', 'compute.list-instances.date-end'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: (instance, query, context) =>
        (query.end !== undefined && query.end < Date.UTC(2000, 0, 1)) ||
        rules.matchesDateEnd(instance, query, context),
    }),
  },
  {
    name: 'end-goes-by-the-last-change',
    summary: 'An end date counts by when an instance entered its state.',
    breaks: ['compute.list-instances.date-end'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: ({ stateSince }, { end }) => end === undefined || stateSince <= end,
    }),
  },
  {
    name: 'both-bounds-are-exclusive',
    summary: 'An instance created exactly at the begin or the end date is left out.',
    breaks: [
      'compute.list-instances.date-begin-inclusive',
      'compute.list-instances.date-end-inclusive',
    ],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt > begin,
      matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt < end,
    }),
  },
  {
    name: 'end-is-ignored-beside-a-begin',
    summary: 'An end date does not count beside a begin date.',
    breaks: ['compute.list-instances.date-window'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: (instance, query, context) =>
        query.begin !== undefined || rules.matchesDateEnd(instance, query, context),
    }),
  },
  {
    name: 'window-takes-either-bound',
    summary: 'Begin and end together give what either of them gives.',
    breaks: ['compute.list-instances.date-window'],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: (instance, query, context) =>
        rules.matchesDateBegin(instance, query, context) ||
        (query.end !== undefined && instance.createdAt <= query.end),
    }),
  },
  {
    name: 'offset-is-read-as-utc',
    summary: 'The UTC offset of a date does not count.',
    breaks: ['compute.list-instances.date-offset'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        rules.parseDate(name, text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z'), context),
    }),
  },
  {
    name: 'offset-minutes-do-not-count',
    summary: 'Of the UTC offset of a date only the hours count.',
    breaks: ['compute.list-instances.date-offset'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        rules.parseDate(name, text.replace(/([+-]\d\d):\d\d$/u, '$1:00'), context),
    }),
  },
  {
    name: 'offset-of-an-end-does-not-count',
    summary: 'The UTC offset of an end date does not count.',
    breaks: ['compute.list-instances.date-offset'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        rules.parseDate(
          name,
          name === 'date_range_end' ? text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z') : text,
          context,
        ),
    }),
  },
  {
    name: 'end-takes-a-minute-more',
    summary: 'An end date counts to the end of the minute that follows.',
    breaks: ['compute.list-instances.date-end', 'compute.list-instances.date-begin'],
    patch: (rules) => ({
      ...rules,
      matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt <= end + 60_000,
    }),
  },
  {
    name: 'offset-has-the-wrong-sign',
    summary: 'An offset ahead of UTC is read as one behind it.',
    breaks: ['compute.list-instances.date-offset'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        rules.parseDate(name, text.replace(/\+(\d\d:\d\d)$/u, '-$1'), context),
    }),
  },
  {
    name: 'begin-that-is-no-date-is-ignored',
    summary: 'A begin that is no date gives the whole list.',
    breaks: ['compute.list-instances.date-invalid'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        name === 'date_range_begin' && !/\d/u.test(text) ? 0 : rules.parseDate(name, text, context),
    }),
  },
  {
    name: 'end-that-is-no-date-is-now',
    summary: 'An end that is no date is read as now.',
    breaks: ['compute.list-instances.date-invalid'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        name === 'date_range_end' && !/\d/u.test(text)
          ? context.now
          : rules.parseDate(name, text, context),
    }),
  },
  {
    name: 'begin-beyond-the-calendar-rolls-over',
    summary: 'A begin in a month 13 is read as one in the January after.',
    breaks: ['compute.list-instances.date-invalid'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) => {
        const [, year, rest] = /^(\d{4})-13-(.+)$/u.exec(text) ?? [];
        const read = name === 'date_range_begin' && year !== undefined;
        return rules.parseDate(name, read ? `${Number(year) + 1}-01-${rest}` : text, context);
      },
    }),
  },
  {
    name: 'end-beyond-the-day-is-cut',
    summary: 'An end at an hour that no day has is read as one in its last hour.',
    breaks: ['compute.list-instances.date-invalid'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) => {
        const late =
          name === 'date_range_end' ? text.replace(/T(?:2[5-9]|[3-9]\d):/u, 'T23:') : text;
        return rules.parseDate(name, late, context);
      },
    }),
  },
  {
    name: 'months-count-from-one',
    summary: 'Dates of windows are read as one month later than they are.',
    breaks: ['compute.list-instances.date-of-creation'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) => rules.parseDate(name, text, context) + 30 * 86_400_000,
    }),
  },
]);
