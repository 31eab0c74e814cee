/** Faults in how the two lists page, sort and search, beside those by clause. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import type { Instance, Preset } from '../model.ts';
import { Refusal, errorCodes, invalid } from '../refusal.ts';

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

export const pagedListFaults = declareFaults<ComputeRules>([
  {
    name: 'search-leaves-gpu-models-out',
    summary: 'A search looks at names and regions alone.',
    breaks: ['compute.list-instances.free-text-other-members'],
    patch: lookingAt(({ name, preset }) => [name, preset.region ?? '']),
  },
  {
    name: 'search-knows-one-region-alone',
    summary: 'A search finds instances in the UAE by their region, and no others.',
    breaks: ['compute.list-instances.free-text-region'],
    patch: lookingAt(({ name, preset }) => [
      name,
      preset.gpu,
      preset.region === 'UAE' ? preset.region : '',
    ]),
  },
  {
    name: 'preset-search-leaves-gpu-models-out',
    summary:
      'A preset search looks at SKU names, without what they have of the model, and locations.',
    breaks: ['compute.presets.free-text-other-members'],
    patch: presetsByTexts(({ sku, location }) => [sku.replaceAll('-', '_'), location]),
  },
  {
    name: 'signs-of-a-search-stand-for-any',
    summary: 'In an instance search for underscores alone each stands for any sign.',
    breaks: ['compute.list-instances.free-text-signs'],
    patch: anySigns('list-instances'),
  },
  {
    name: 'signs-of-a-preset-search-stand-for-any',
    summary: 'In a preset search for underscores alone each stands for any sign.',
    breaks: ['compute.presets.free-text-signs'],
    patch: anySigns('presets'),
  },
  {
    name: 'empty-pages-behind-short-ones',
    summary: 'Every page that is not full leads to an empty one.',
    breaks: ['compute.pagination.last-page-null', 'compute.presets.last-page-null'],
    patch: emptyPagesBehindShortOnes,
  },
  {
    name: 'later-pages-are-cut-to-nine',
    summary: 'Pages after the first hold nine items at most, and say that they are made for nine.',
    breaks: ['compute.pagination.size-echo'],
    patch: (rules) => ({
      ...rules,
      queryOfPage: (asked, begun, context) => {
        const query = rules.queryOfPage(asked, begun, context);
        return begun === undefined ? query : { ...query, size: Math.min(9, query.size) };
      },
    }),
  },
  {
    name: 'preset-garbage-cursor-starts-anew',
    summary: 'A preset cursor that nobody issued is taken for none.',
    breaks: ['compute.presets.garbage-cursor-refused'],
    patch: (rules) => ({
      ...rules,
      readParameter: (name, context) => {
        const text = rules.readParameter(name, context);
        return name === 'cursor' && context.operation === 'presets' && text?.includes('.') !== true
          ? undefined
          : text;
      },
    }),
  },
  {
    name: 'preset-cursors-are-spent',
    summary: 'A preset cursor that was used is refused.',
    breaks: ['compute.presets.cursor-repeats'],
    patch: (rules) => {
      const spent = new Set<string>();
      return {
        ...rules,
        decodeCursor: (text, list, context) => {
          if (list === 'presets' && spent.has(text)) throw invalid('cursor was used.');
          const cursor = rules.decodeCursor(text, list, context);
          spent.add(text);
          return cursor;
        },
      };
    },
  },
  {
    name: 'odd-sort-of-presets-crashes',
    summary: 'A sort field of presets with a quote or a percent sign brings about a 500.',
    breaks: ['compute.presets.odd-parameters'],
    patch: (rules) => ({
      ...rules,
      parseWord: (name, text, words, context) => {
        if (context.operation === 'presets' && /['"%]/u.test(text)) {
          throw new Refusal(500, errorCodes[500], 'No query.');
        }
        return rules.parseWord(name, text, words, context);
      },
    }),
  },
  {
    name: 'preset-without-a-count',
    summary: 'Presets of one GPU do not say how many they have.',
    breaks: ['compute.presets.fields-there'],
    patch: (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) => {
        const record = rules.presetRecord(preset, context, query);
        return preset.gpuCount === 1
          ? { ...record, [context.choices.presets.fields.gpuCount]: null }
          : record;
      },
    }),
  },
]);
