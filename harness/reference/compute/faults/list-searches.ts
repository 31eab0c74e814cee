/** Searches that miss names or match too much, and date windows that are shifted, ignored or open at one end. */

import { type Instance, invalid, notFound } from '../model.ts';
import { type ComputeRules, operating, type RequestContext } from '../context.ts';
import {
  amend,
  fails,
  faultTable,
  forces,
  instancesOf,
  isSecond,
  type Patch,
  refusalIn,
  replace,
  each,
  rows,
} from './words.ts';
import { anySigns, asExpression, crashingSearch, likePattern, refusesText } from './words-lists.ts';

/** A search for a certain character finds nothing. */
function cannotFind(character: RegExp): Patch {
  return forces('searchMatches', false, (_instance, query) => character.test(query.text ?? ''));
}

/** A search that looks only at some texts of an instance. */
function searching(texts: (instance: Instance) => readonly string[]): Patch {
  return (rules) => ({
    searchMatches: (instance, query, context) =>
      query.text === undefined ||
      texts(instance).some((field) => rules.textMatches(field, query.text ?? '', context)),
  });
}

/** A search that also looks at one more member of an instance. */
function alsoSearching(
  member: (
    instance: Parameters<ComputeRules['searchMatches']>[0],
    context: RequestContext,
  ) => string,
): Patch {
  return (rules) => ({
    searchMatches: (instance, query, context) =>
      rules.searchMatches(instance, query, context) ||
      rules.textMatches(member(instance, context), query.text ?? '', context),
  });
}

/** Fraction of a millisecond that is added to each creation time. */
const WITHIN_MS = 0.4567;

/** Reads dates as if they were written differently. */
function readsDates(change: (text: string, name: string) => string): Patch {
  return replace('parseDate', (original, name, text, context) =>
    original(name, change(text, name), context),
  );
}

export const listSearchesFaults = faultTable('compute.list-instances', {
  'free-text-too-long: search-of-256-is-cut-beside-a-sort': replace(
    'parseFreeText',
    (original, name, text, context) =>
      original(
        name,
        context.operation === 'list-instances' && context.query.includes('sort_field=')
          ? text.slice(0, 255)
          : text,
        context,
      ),
  ),
  'free-text-too-long: search-of-256-is-served': forces(
    'parseFreeText',
    (_name, text) => text,
    (_name, text, context) => context.operation === 'list-instances' && text.length === 256,
  ),
  'free-text-too-long: long-search-outside-ascii-is-served': forces(
    'parseFreeText',
    (_name, text) => text,
    (_name, text, context) => context.operation === 'list-instances' && /[^\0-\u007f]/u.test(text),
  ),
  'free-text-full-name: search-fails-with-an-emoji': cannotFind(/\p{Emoji_Presentation}/u),
  ...each.forces('searchMatches', false, {
    'free-text-full-name: search-leaves-out-what-erred': (instance, query) =>
      query.text !== undefined && instance.state === 'ERRORED',
    'free-text-full-name: second-account-finds-nothing': (_instance, query, context) =>
      query.text !== undefined && isSecond(context),
    'free-text-full-name: search-looks-at-the-newest-alone': (instance, query, context) =>
      query.text !== undefined && instancesOf(context).slice(0, 2).includes(instance),
  }),
  'free-text-characters + odd-parameters: search-for-a-quote-crashes': crashingSearch(
    'list-instances',
    /['"]/u,
  ),
  'free-text-characters: search-that-ends-in-a-backslash-crashes': crashingSearch(
    'list-instances',
    /\\$/u,
  ),
  'free-text-characters: search-for-an-emoji-crashes': crashingSearch(
    'list-instances',
    /\p{Emoji_Presentation}/u,
  ),
  'free-text-characters: search-for-a-letter-outside-ascii-is-refused': refusesText(
    'list-instances',
    (text) => /^[^\0-\u007f]$/u.test(text),
  ),
  'free-text-characters: search-for-a-number-is-refused': refusesText('list-instances', (text) =>
    /^\d+$/u.test(text),
  ),
  ...each.forces('searchMatches', true, {
    'free-text-absent: long-searches-of-instances-do-not-count': (_instance, query) =>
      (query.text ?? '').length >= 200,
    'free-text-absent: second-account-finds-everything': (_instance, _query, context) =>
      isSecond(context),
    'free-text-absent: search-leaves-letters-outside-ascii-out': (_instance, { text = '' }) =>
      /^[^\p{ASCII}]+$/u.test(text),
    'free-text-absent: search-ends-at-an-apostrophe': (_instance, { text = '' }) =>
      text.startsWith("'"),
    'free-text-absent: search-looks-at-ids': (instance, query) => instance.id === query.text,
  }),
  'free-text-absent: search-without-result-is-404': operating(
    ['list-instances'],
    (original, context) => {
      const answer = original(context);
      const isEmpty = JSON.stringify(answer.json).includes(':[]');
      if (isEmpty && context.query.includes('free_text_search=')) throw notFound();
      return answer;
    },
  ),
  'free-text-absent: search-takes-percent-signs-for-wildcards': forces(
    'textMatches',
    (field, text) => new RegExp(likePattern(text), 'isu').test(field),
    (_field, text) => text.includes('%'),
  ),
  'free-text-absent: search-looks-at-bandwidths': alsoSearching(({ bandwidthMbps }) =>
    String(bandwidthMbps),
  ),
  'free-text-absent: search-looks-at-why-a-guest-is-not-ready': alsoSearching(({ state }) =>
    state === 'RUNNING' ? '' : 'The instance is not running.',
  ),
  'free-text-absent: search-looks-at-the-hardware': alsoSearching(
    ({ preset }, { rules, ...rest }) => rules.resourceSummary(preset, { rules, ...rest }),
  ),
  'free-text-absent: search-looks-at-readiness': alsoSearching(({ state }, { choices }) =>
    state === 'RUNNING' ? choices.guestReady.ready : choices.guestReady.notReady,
  ),
  'free-text-absent: instance-search-is-a-regular-expression': asExpression('list-instances'),
  'free-text-location: search-looks-at-locations': alsoSearching(({ preset }) => preset.location),
  ...rows(searching, {
    'free-text-region: search-leaves-regions-out': ({ name, preset }) => [name, preset.gpu],
    'free-text-region: search-knows-one-region-alone': ({ name, preset }) => [
      name,
      preset.gpu,
      preset.region === 'UAE' ? preset.region : '',
    ],
    'free-text-other-members: search-leaves-gpu-models-out': ({ name, preset }) => [
      name,
      preset.region ?? '',
    ],
  }),
  'free-text-maximum: search-of-255-beside-a-region-is-refused': fails(
    'parseFreeText',
    () => invalid('Too much at once.'),
    (_name, text, { operation, query }) =>
      operation === 'list-instances' && text.length === 255 && query.includes('region='),
  ),
  'free-text-maximum: search-of-255-is-refused': refusesText(
    'list-instances',
    (text) => text.length === 255,
  ),
  'free-text-signs: signs-of-a-search-stand-for-any': anySigns('list-instances'),
  'date-invalid: end-that-is-no-date-is-read-as-year-9999-beside-a-begin': (rules) => ({
    parseDate: (name, text, context) =>
      name === 'date_range_end' &&
      rules.readParameter('date_range_begin', context) !== undefined &&
      refusalIn(() => rules.parseDate(name, text, context)) !== undefined
        ? Date.UTC(9999, 0, 1)
        : rules.parseDate(name, text, context),
  }),
  ...rows(readsDates, {
    'date-invalid: begin-beyond-the-calendar-rolls-over': (text, name) => {
      const [, year, rest] = /^(\d{4})-13-(.+)$/u.exec(text) ?? [];
      const isBegin = name === 'date_range_begin' && year !== undefined;
      return isBegin ? `${Number(year) + 1}-01-${rest}` : text;
    },
    'date-invalid: end-beyond-the-day-is-cut': (text, name) =>
      name === 'date_range_end' ? text.replace(/T(?:2[5-9]|[3-9]\d):/u, 'T23:') : text,
    'date-begin + date-offset: noon-is-read-as-midnight': (text) => text.replace('T12:', 'T00:'),
    'date-offset + date-begin: microseconds-are-read-as-milliseconds': (text) => {
      const [whole = '', microseconds] = /\.(\d{6})(?=Z$)/u.exec(text) ?? [];
      return microseconds === undefined
        ? text
        : new Date(Date.parse(text.replace(whole, '')) + Number(microseconds)).toISOString();
    },
    'date-timestamp: seconds-of-unix-time-are-a-date': (text) =>
      /^\d{10}$/u.test(text) ? new Date(Number(text) * 1000).toISOString() : text,
    'date-offset + date-end: offset-of-an-end-does-not-count': (text, name) =>
      name === 'date_range_end' ? text.replace(/[+-](?:[01]\d|2[0-3]):\d\d$/u, 'Z') : text,
  }),
  'filters-combine: begin-is-exclusive-beside-a-status': forces(
    'matchesDateBegin',
    false,
    ({ createdAt }, { begin, status }) => status !== undefined && createdAt === begin,
  ),
  'filters-combine: end-is-exclusive-beside-a-region': forces(
    'matchesDateEnd',
    false,
    ({ createdAt }, { end, region }) => region !== undefined && createdAt === end,
  ),
  'date-begin-inclusive: begin-is-exclusive': () => ({
    matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt > begin,
  }),
  // Creation times have a fraction of a millisecond, and the instance at exactly the begin date is left out.
  'date-begin-inclusive + date-end-inclusive: begin-is-exclusive-between-milliseconds': () => ({
    matchesDateBegin: ({ createdAt }, { begin }) =>
      begin === undefined || createdAt + WITHIN_MS > begin,
    matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt + WITHIN_MS <= end,
  }),
  'date-end-inclusive: end-is-exclusive': () => ({
    matchesDateEnd: ({ createdAt }, { end }) => end === undefined || createdAt < end,
  }),
  ...each.forces('matchesDateEnd', false, {
    'date-window: window-of-one-instant-is-empty': (_instance, query) =>
      query.begin !== undefined && query.begin === query.end,
    'date-window: end-is-exclusive-beside-a-begin': (instance, query) =>
      query.begin !== undefined && query.begin !== query.end && instance.createdAt === query.end,
  }),
  'date-window: begin-is-exclusive-beside-a-sort': forces(
    'matchesDateBegin',
    false,
    (instance, query) => query.sortField !== undefined && instance.createdAt === query.begin,
  ),
  ...each.forces('matchesDateEnd', true, {
    'date-window: end-is-ignored-beside-a-begin': (_instance, query) => query.begin !== undefined,
    'date-end-past: second-account-has-no-end': (_instance, _query, context) => isSecond(context),
    'date-end-past: end-of-zero-is-no-end': (_instance, query) => query.end === 0,
    'date-end-past + date-end: end-before-2000-is-ignored': (_instance, query) =>
      query.end !== undefined && query.end < Date.UTC(2000, 0, 1),
  }),
  'date-begin-future + date-end-past: dates-with-fractions-are-refused': fails(
    'parseDate',
    () => invalid('Dates are in whole seconds.'),
    (_name, text) => text.includes('.'),
  ),
  ...each.fails('parseDate', () => invalid('Dates have three digits of the second.'), {
    'date-offset: dates-with-microseconds-are-refused': (_name, text) => /\.\d{6}Z$/u.test(text),
    'date-offset: dates-with-nanoseconds-are-refused': (_name, text) => /\.\d{9}Z$/u.test(text),
  }),
  ...each.forces('matchesDateBegin', true, {
    'date-begin-future: second-account-has-no-begin': (_instance, _query, context) =>
      isSecond(context),
    'date-begin-future + date-begin: future-begin-is-ignored': (_instance, query, context) =>
      query.begin !== undefined && query.begin > context.now,
    'date-begin + date-end: begin-in-this-century-is-ignored': (_instance, query, context) =>
      query.begin !== undefined && query.begin < context.now,
  }),
  'date-begin: begin-always-leaves-the-oldest-out': forces(
    'matchesDateBegin',
    false,
    (instance, query, context) => query.begin !== undefined && instancesOf(context)[0] === instance,
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
  'date-begin + date-end: begin-takes-most-of-a-second-more': () => ({
    matchesDateBegin: ({ createdAt }, { begin }) => begin === undefined || createdAt >= begin - 700,
  }),
  'date-offset + date-begin + date-end: offset-minutes-do-not-count': replace(
    'parseDate',
    (original, name, text, context) =>
      original(name, text.replace(/([+-]\d\d):\d\d$/u, '$1:00'), context),
  ),
  'date-of-creation: dates-are-taken-for-local-time': amend(
    'parseDate',
    (at) => at - 4 * 3_600_000,
  ),
  'date-end: dates-are-64-bits-of-nanoseconds': amend('parseDate', (at) =>
    Number(BigInt.asIntN(64, BigInt(Math.round(at)) * 1_000_000n) / 1_000_000n),
  ),
  'date-begin: dates-before-1970-are-refused': amend('parseDate', (at, name) => {
    if (at < 0) throw invalid(`${name} is before 1970.`);
    return at;
  }),
  'date-of-creation: months-count-from-one': amend('parseDate', (at) => at + 30 * 86_400_000),
});
