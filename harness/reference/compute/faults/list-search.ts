/** Searches of the instance list that miss names, find strangers, or count wrongly. */

import { type Fault, declareFaults } from '../../fault.ts';
import { invalid } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { instancesOf } from './population.ts';

const fullName = ['compute.list-instances.free-text-full-name'];

/** Names with a certain character cannot be found. */
function cannotFind(what: string, character: RegExp): Fault<ComputeRules> {
  return {
    name: `search-fails-with-${what}`,
    summary: `A search for a text with ${what.replaceAll('-', ' ')} in it finds nothing.`,
    breaks: fullName,
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        rules.searchMatches(instance, query, context) && !character.test(query.text ?? ''),
    }),
  };
}

/** Searches for some characters are more than the deployment can stand. */
function crashingSearch(
  rules: ComputeRules,
  operation: 'list-instances' | 'presets',
  characters: RegExp,
): ComputeRules {
  return {
    ...rules,
    parseFreeText: (name, text, context) => {
      if (context.operation === operation && characters.test(text)) {
        throw new Error('The database refused the text.');
      }
      return rules.parseFreeText(name, text, context);
    },
  };
}

export const listSearchFaults = declareFaults<ComputeRules>([
  {
    name: 'search-for-a-quote-crashes',
    summary: 'An instance search for a text with a quote brings about a 500.',
    breaks: [
      'compute.list-instances.free-text-characters',
      'compute.list-instances.odd-parameters',
    ],
    patch: (rules) => crashingSearch(rules, 'list-instances', /['"]/u),
  },
  {
    name: 'preset-search-is-read-as-a-pattern',
    summary: 'A preset search for a text with a bracket that is left open brings about a 500.',
    breaks: ['compute.presets.free-text-characters'],
    patch: (rules) => crashingSearch(rules, 'presets', /[([{]/u),
  },
  {
    name: 'search-for-a-number-is-refused',
    summary: 'An instance search for digits alone is refused.',
    breaks: ['compute.list-instances.free-text-characters'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) => {
        if (context.operation === 'list-instances' && /^\d+$/u.test(text)) {
          throw invalid(`${name} must have a letter.`);
        }
        return rules.parseFreeText(name, text, context);
      },
    }),
  },
  cannotFind('an-emoji', /\p{Emoji_Presentation}/u),
  cannotFind('an-apostrophe', /'/u),
  cannotFind('a-percent-sign', /%/u),
  cannotFind('a-plus-sign', /\+/u),
  cannotFind('a-letter-beyond-ascii', /[^\p{ASCII}]/u),
  cannotFind('a-capital', /\p{Lu}/u),
  {
    name: 'long-searches-of-instances-do-not-count',
    summary: 'A search of instances for 200 characters and more does not count.',
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        (query.text ?? '').length >= 200 || rules.searchMatches(instance, query, context),
    }),
  },
  {
    name: 'long-searches-of-presets-do-not-count',
    summary: 'A search of presets for 200 characters and more does not count.',
    breaks: ['compute.presets.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      presetMatchesText: (preset, query, context) =>
        (query.text ?? '').length >= 200 || rules.presetMatchesText(preset, query, context),
    }),
  },
  {
    name: 'search-leaves-regions-out',
    summary: 'A search looks at names and GPU models alone.',
    breaks: ['compute.list-instances.free-text-region'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        query.text === undefined ||
        [instance.name, instance.preset.gpu].some((field) =>
          rules.textMatches(field, query.text ?? '', context),
        ),
    }),
  },
  {
    name: 'search-leaves-names-out',
    summary: 'A search looks at regions and GPU models alone.',
    breaks: fullName,
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        query.text === undefined ||
        [instance.preset.region ?? '', instance.preset.gpu].some((field) =>
          rules.textMatches(field, query.text ?? '', context),
        ),
    }),
  },
  {
    name: 'search-leaves-out-what-erred',
    summary: 'A search finds no instance that is ERRORED.',
    breaks: fullName,
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        (query.text === undefined || instance.state !== 'ERRORED') &&
        rules.searchMatches(instance, query, context),
    }),
  },
  {
    name: 'search-of-what-is-nowhere-finds-the-newest',
    summary: 'A search that finds nothing gives the newest instance instead.',
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        rules.searchMatches(instance, query, context) ||
        (instance === instancesOf(context).at(-1) &&
          !instancesOf(context).some((one) => rules.searchMatches(one, query, context))),
    }),
  },
  {
    name: 'search-takes-percent-signs-for-wildcards',
    summary: 'A percent sign in a search stands for any text.',
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      textMatches: (field, text, context) => {
        const parts = text.toLowerCase().split('%');
        if (parts.length === 1) return rules.textMatches(field, text, context);
        let left: string | undefined = field.toLowerCase();
        for (const part of parts) {
          const at: number = left?.indexOf(part) ?? -1;
          left = at === -1 ? undefined : left?.slice(at + part.length);
        }
        return left !== undefined;
      },
    }),
  },
  {
    name: 'search-looks-at-ids',
    summary: 'A search also finds instances by their id.',
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        instance.id === query.text || rules.searchMatches(instance, query, context),
    }),
  },
  {
    name: 'search-looks-at-locations',
    summary: 'A search also finds instances by the location that they run in.',
    breaks: ['compute.list-instances.free-text-location'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        rules.searchMatches(instance, query, context) ||
        rules.textMatches(instance.preset.location, query.text ?? '', context),
    }),
  },
  {
    name: 'search-with-a-dash-is-no-filter',
    summary: 'A search for text with a dash in it gives everything.',
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        query.text?.includes('-') === true || rules.searchMatches(instance, query, context),
    }),
  },
  {
    name: 'search-of-255-is-refused',
    summary: 'An instance search for 255 characters is refused.',
    breaks: ['compute.list-instances.free-text-maximum'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) => {
        if (context.operation === 'list-instances' && text.length === 255) {
          throw invalid(`${name} is too long.`);
        }
        return rules.parseFreeText(name, text, context);
      },
    }),
  },
  {
    name: 'search-of-256-is-served',
    summary: 'An instance search for 256 characters is served.',
    breaks: ['compute.list-instances.free-text-too-long'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) =>
        context.operation === 'list-instances' && text.length === 256
          ? text
          : rules.parseFreeText(name, text, context),
    }),
  },
  {
    name: 'search-of-any-length-is-cut',
    summary: 'An instance search for more than 1000 characters is cut at 255.',
    breaks: ['compute.list-instances.free-text-too-long'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) =>
        context.operation === 'list-instances' && text.length > 1_000
          ? text.slice(0, 255)
          : rules.parseFreeText(name, text, context),
    }),
  },
]);
