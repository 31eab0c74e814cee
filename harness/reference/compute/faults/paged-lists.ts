/** Faults in how the two lists page, sort and search, beside those by clause. */

import type { ComputeRules } from '../context.ts';
import { errorCodes, type Instance, invalid, type Preset, Refusal } from '../model.ts';
import { amend, faultTable, replace } from './answering.ts';

/** A search of instances that looks at some texts alone. */
function lookingAt(texts: (instance: Instance) => readonly string[]) {
  return (rules: ComputeRules): ComputeRules => ({
    ...rules,
    searchMatches: (instance, query, context) =>
      query.text === undefined ||
      texts(instance).some((field) => rules.textMatches(field, query.text ?? '', context)),
  });
}

/** The same of presets. */
function presetsByTexts(texts: (preset: Preset) => readonly string[]) {
  return (rules: ComputeRules): ComputeRules => ({
    ...rules,
    presetMatchesText: (preset, { text }, context) =>
      text === undefined || texts(preset).some((field) => rules.textMatches(field, text, context)),
  });
}

/** In a search for nothing but underscores each stands for any sign. */
function anySigns(operation: 'list-instances' | 'presets') {
  return (rules: ComputeRules): ComputeRules => ({
    ...rules,
    textMatches: (field, text, context) =>
      context.operation === operation && /^_+$/u.test(text)
        ? field.length >= text.length
        : rules.textMatches(field, text, context),
  });
}

/** Every page that is not full leads to an empty one. */
function emptyPagesBehindShortOnes(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    selectInstances: (query, after, context) => {
      const page = rules.selectInstances(query, after, context);
      const last = page.items.at(-1);
      if (page.end !== undefined || last === undefined) return page;
      const key =
        query.sortField === undefined
          ? undefined
          : rules.instanceSortKey(last, query.sortField, query, context);
      return { ...page, end: { key, place: rules.instancesInReach(context).indexOf(last) } };
    },
    selectPresets: (query, after, context) => {
      const page = rules.selectPresets(query, after, context);
      return page.end === undefined && page.items.length > 0
        ? { ...page, end: { key: undefined, place: 1_000_000 } }
        : page;
    },
  };
}

export const pagedListFaults = faultTable({
  'compute.list-instances.free-text-other-members': {
    'search-leaves-gpu-models-out': lookingAt(({ name, preset }) => [name, preset.region ?? '']),
  },
  'compute.list-instances.free-text-region': {
    'search-knows-one-region-alone': lookingAt(({ name, preset }) => [
      name,
      preset.gpu,
      preset.region === 'UAE' ? preset.region : '',
    ]),
  },
  'compute.presets.free-text-other-members': {
    'preset-search-leaves-gpu-models-out': presetsByTexts(({ sku, location }) => [
      sku.startsWith('1x') ? '' : sku,
      location,
    ]),
  },
  'compute.list-instances.free-text-signs': {
    'signs-of-a-search-stand-for-any': anySigns('list-instances'),
  },
  'compute.presets.free-text-signs': {
    'signs-of-a-preset-search-stand-for-any': anySigns('presets'),
  },
  'compute.pagination.last-page-null': {
    'empty-pages-behind-short-ones': {
      besides: ['compute.presets.last-page-null'],
      patch: emptyPagesBehindShortOnes,
    },
  },
  'compute.pagination.size-echo': {
    'later-pages-are-cut-to-nine': amend('queryOfPage', (query, _asked, begun) =>
      begun === undefined ? query : { ...query, size: Math.min(9, query.size) },
    ),
  },
  'compute.presets.garbage-cursor-refused': {
    'preset-garbage-cursor-starts-anew': replace('readParameter', (original, name, context) => {
      const text = original(name, context);
      const isOwn = text?.includes('.') === true;
      return name === 'cursor' && context.operation === 'presets' && !isOwn ? undefined : text;
    }),
  },
  'compute.presets.cursor-repeats': {
    'preset-cursors-are-spent': (rules) => {
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
  },
  'compute.presets.odd-parameters': {
    'odd-sort-of-presets-crashes': (rules) => ({
      parseWord: (name, text, words, context) => {
        if (context.operation === 'presets' && /\W/u.test(text)) {
          throw new Refusal(500, errorCodes[500], 'No query.');
        }
        return rules.parseWord(name, text, words, context);
      },
    }),
  },
  'compute.presets.fields-there': {
    'preset-without-a-count': amend('presetRecord', (record, { gpuCount }, { choices }) =>
      gpuCount === 1 ? { ...record, [choices.presets.fields.gpuCount]: null } : record,
    ),
  },
});
