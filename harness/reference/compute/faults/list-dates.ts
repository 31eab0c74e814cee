/** Date windows that are shifted, ignored or open at one end. */

import { invalid } from '../model.ts';
import { newestFirstBroken } from './order.ts';
import { fails, unless, replace, faultTable } from './answering.ts';

/** Where in its millisecond an instance was created. */
const WITHIN_MS = 0.4567;

export const listDateFaults = [
  ...faultTable({
    'compute.list-instances.date-begin-inclusive': {
      'begin-is-exclusive': {
        says: 'An instance created exactly at the begin date is left out.',
        patch: () => ({
          matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt > begin,
        }),
      },
      'begin-is-exclusive-between-milliseconds': {
        says: 'Instances are dated more finely than to the microsecond, and one created exactly at the begin date is left out.',
        besides: ['compute.list-instances.date-end-inclusive'],
        patch: () => ({
          matchesDateBegin: ({ createdAt }, { begin }) =>
            begin === undefined || createdAt + WITHIN_MS > begin,
          matchesDateEnd: ({ createdAt }, { end }) =>
            end === undefined || createdAt + WITHIN_MS <= end,
        }),
      },
    },
    'compute.list-instances.date-end-inclusive': {
      'end-is-exclusive': {
        says: 'An instance created exactly at the end date is left out.',
        patch: () => ({
          matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt < end,
        }),
      },
    },
    'compute.list-instances.date-window': {
      'window-of-one-instant-is-empty': unless(
        'matchesDateEnd',
        (_instance, query) => query.begin !== undefined && query.begin === query.end,
        false,
      ),
      'window-of-one-instant-is-refused': fails(
        'matchesDateEnd',
        (_instance, query) => query.begin !== undefined && query.begin === query.end,
        () => invalid('date_range_begin must be before date_range_end.'),
      ),
      'end-is-exclusive-beside-a-begin': unless(
        'matchesDateEnd',
        (instance, query) =>
          query.begin !== undefined &&
          query.begin !== query.end &&
          instance.createdAt === query.end,
        false,
      ),
      'end-is-ignored-beside-a-begin': unless(
        'matchesDateEnd',
        (_instance, query) => query.begin !== undefined,
        true,
      ),
    },
    'compute.list-instances.date-begin-future': {
      'dates-with-fractions-are-refused': {
        besides: ['compute.list-instances.date-end-past'],
        patch: replace('parseDate', (original, name, text, context) => {
          if (text.includes('.')) throw invalid(`${name} must be in whole seconds.`);
          return original(name, text, context);
        }),
      },
      'future-begin-is-ignored': {
        besides: ['compute.list-instances.date-begin'],
        patch: unless(
          'matchesDateBegin',
          (_instance, query, context) => query.begin !== undefined && query.begin > context.now,
          true,
        ),
      },
    },
    'compute.list-instances.date-begin': {
      'begin-in-this-century-is-ignored': {
        says: 'A begin date within the life of the account does not count.',
        besides: ['compute.list-instances.date-end'],
        patch: unless(
          'matchesDateBegin',
          (_instance, query, context) => query.begin !== undefined && query.begin < context.now,
          true,
        ),
      },
    },
    'compute.list-instances.date-end-past': {
      'end-before-2000-is-ignored': {
        besides: ['compute.list-instances.date-end'],
        patch: unless(
          'matchesDateEnd',
          (_instance, query) => query.end !== undefined && query.end < Date.UTC(2000, 0, 1),
          true,
        ),
      },
    },
    'compute.list-instances.date-end': {
      'end-goes-by-the-last-change': {
        says: 'An end date counts by when an instance entered its state.',
        patch: () => ({
          matchesDateEnd: ({ stateSince }, { end }) => end === undefined || stateSince <= end,
        }),
      },
      'end-takes-a-minute-more': {
        besides: ['compute.list-instances.date-begin'],
        patch: () => ({
          matchesDateEnd: ({ createdAt }, { end }) =>
            end === undefined || createdAt <= end + 60_000,
        }),
      },
    },
    'compute.list-instances.date-offset': {
      'offset-is-read-as-utc': replace('parseDate', (original, name, text, context) =>
        original(name, text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z'), context),
      ),
      'offset-minutes-do-not-count': replace('parseDate', (original, name, text, context) =>
        original(name, text.replace(/([+-]\d\d):\d\d$/u, '$1:00'), context),
      ),
      'offset-of-an-end-does-not-count': replace('parseDate', (original, name, text, context) =>
        original(
          name,
          name === 'date_range_end' ? text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z') : text,
          context,
        ),
      ),
      'offset-has-the-wrong-sign': replace('parseDate', (original, name, text, context) =>
        original(name, text.replace(/\+(\d\d:\d\d)$/u, '-$1'), context),
      ),
    },
    'compute.list-instances.date-invalid': {
      'begin-that-is-no-date-is-ignored': unless(
        'parseDate',
        (name, text) => name === 'date_range_begin' && !/\d/u.test(text),
        0,
      ),
      'end-that-is-no-date-is-now': unless(
        'parseDate',
        (name, text) => name === 'date_range_end' && !/\d/u.test(text),
        (_name, _text, context) => context.now,
      ),
      'begin-beyond-the-calendar-rolls-over': {
        says: 'A begin in a month 13 is read as one in the January after.',
        patch: replace('parseDate', (original, name, text, context) => {
          const [, year, rest] = /^(\d{4})-13-(.+)$/u.exec(text) ?? [];
          const read = name === 'date_range_begin' && year !== undefined;
          return original(name, read ? `${Number(year) + 1}-01-${rest}` : text, context);
        }),
      },
      'end-beyond-the-day-is-cut': replace('parseDate', (original, name, text, context) => {
        const late =
          name === 'date_range_end' ? text.replace(/T(?:2[5-9]|[3-9]\d):/u, 'T23:') : text;
        return original(name, late, context);
      }),
    },
    'compute.list-instances.date-of-creation': {
      'months-count-from-one': {
        says: 'Dates of windows are read as one month later than they are.',
        patch: replace(
          'parseDate',
          (original, name, text, context) => original(name, text, context) + 30 * 86_400_000,
        ),
      },
    },
  }),
  ...newestFirstBroken,
];
