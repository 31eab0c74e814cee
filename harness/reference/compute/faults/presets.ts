/** Preset lists as a whole: fields, walks and cursors that do not hold. */

import { errorCodes, invalid, Refusal } from '../model.ts';
import { amend, answering, faultTable, isSuccess, replace, succeeding } from './words.ts';
import { taking, unknownInstanceId } from './words-lists.ts';

export const presetsFaults = faultTable('compute.presets', {
  'garbage-cursor-no-5xx: preset-garbage-cursor-crashes': taking('presets', (text) => {
    throw new Error(`no such cursor: ${text}`);
  }),
  'cursor-leads-on: first-page-of-one-preset-gives-a-dead-cursor': amend(
    'selectPresets',
    (page, query) =>
      query.size === 1 && page.end !== undefined ? { ...page, end: unknownInstanceId } : page,
  ),
  'parameters-optional + walks-agree: bare-preset-list-is-refused': (rules) =>
    answering((answer, context) =>
      context.operation === 'presets' && context.query === '' && isSuccess(answer)
        ? rules.errorAnswer(invalid('size is missing.'), context)
        : answer,
    )(rules),
  'garbage-cursor-refused: preset-garbage-cursor-starts-anew': replace(
    'readParameter',
    (original, name, context) => {
      const text = original(name, context);
      const isOwn = text?.includes('.') === true;
      return name === 'cursor' && context.operation === 'presets' && !isOwn ? undefined : text;
    },
  ),
  'cursor-repeats: preset-cursors-are-spent': (rules) => {
    const spent = new Set<string>();
    return {
      decodeCursor: (text, list, context) => {
        if (list === 'presets' && spent.delete(text)) throw invalid('cursor was used.');
        const cursor = rules.decodeCursor(text, list, context);
        spent.add(text);
        return cursor;
      },
    };
  },
  'odd-parameters: odd-sort-of-presets-crashes': (rules) => ({
    parseWord: (name, text, words, context) => {
      if (context.operation === 'presets' && /\W/u.test(text)) {
        throw new Refusal(500, errorCodes[500], 'No query.');
      }
      return rules.parseWord(name, text, words, context);
    },
  }),
  'fields-there: preset-without-a-count': amend(
    'presetRecord',
    (record, { gpuCount }, { choices }) =>
      gpuCount === 1 ? { ...record, [choices.presets.fields.gpuCount]: null } : record,
  ),
  'fields-there: preset-without-a-name': amend('presetRecord', (record, preset, context) =>
    preset.region === undefined
      ? { ...record, [context.choices.presets.fields.sku]: null }
      : record,
  ),
  'answers: presets-answer-redirects': answering((answer, context) =>
    context.operation === 'presets' && isSuccess(answer) && /^size=\d\d$/u.test(context.query)
      ? { ...answer, status: 300 }
      : answer,
  ),
  'items-array: presets-are-null-when-none-match': succeeding('presets', (json, { choices }) => {
    const { items } = choices.presets;
    const list = json[items];
    return Array.isArray(list) && list.length === 0 ? { ...json, [items]: null } : json;
  }),
  'price-there: preset-without-price': amend('presetRecord', (record, preset, context, query) =>
    preset.region === undefined && query.sortField === 'ID'
      ? { ...record, [context.choices.presets.fields.price]: undefined }
      : record,
  ),
  'walks-agree: presets-lose-one-between-pages-of-seven': amend('selectPresets', (page, query) =>
    query.size === 7 && query.page === 2 && page.end !== undefined
      ? { ...page, end: { ...page.end, place: page.end.place + 1 } }
      : page,
  ),
  'walk-without-repeats + walks-agree: presets-repeat-one-between-pages': replace(
    'selectPresets',
    (original, query, after, context) =>
      original(
        query,
        after === undefined || context.query.includes('size=')
          ? after
          : { ...after, place: after.place - 1 },
        context,
      ),
  ),
  'walk-ends: preset-walk-never-ends': amend('selectPresets', (page, query) =>
    page.end === undefined && query.size === 25 && query.sortField === undefined
      ? { ...page, end: { key: undefined, place: -1 } }
      : page,
  ),
  'last-page-null: short-page-of-presets-has-a-next-one': amend('selectPresets', (page, query) =>
    query.size === 200 && query.sortField === undefined && page.items.length > 0
      ? { ...page, end: { key: undefined, place: 1_000_000 } }
      : page,
  ),
});
