/** Searches of the instance list that miss names, find strangers, or count wrongly. */

import { invalid } from '../model.ts';
import { fails, type Patch, replace, unless, faultTable } from './answering.ts';

/** Names with a certain character cannot be found. */
function cannotFind(character: RegExp): Patch {
  return unless('searchMatches', (_instance, query) => character.test(query.text ?? ''), false);
}

/** Searches for some characters are more than the deployment can stand. */
function crashingSearch(operation: 'list-instances' | 'presets', characters: RegExp): Patch {
  return fails(
    'parseFreeText',
    (_name, text, context) => context.operation === operation && characters.test(text),
    () => new Error('The database refused the text.'),
  );
}

export const listSearchFaults = [
  ...faultTable({
    'compute.list-instances.free-text-full-name': {
      'search-fails-with-an-emoji': cannotFind(/\p{Emoji_Presentation}/u),
      'search-fails-with-an-apostrophe': cannotFind(/'/u),
      'search-fails-with-a-percent-sign': cannotFind(/%/u),
      'search-fails-with-a-plus-sign': cannotFind(/\+/u),
      'search-fails-with-a-letter-beyond-ascii': cannotFind(/[^\p{ASCII}]/u),
      'search-fails-with-a-capital': cannotFind(/\p{Lu}/u),
    },
  }),
  ...faultTable({
    'compute.list-instances.free-text-characters': {
      'search-for-a-quote-crashes': {
        besides: ['compute.list-instances.odd-parameters'],
        patch: crashingSearch('list-instances', /['"]/u),
      },
      'search-for-a-number-is-refused': replace(
        'parseFreeText',
        (original, name, text, context) => {
          if (context.operation === 'list-instances' && /^\d+$/u.test(text)) {
            throw invalid(`${name} must have a letter.`);
          }
          return original(name, text, context);
        },
      ),
    },
    'compute.presets.free-text-characters': {
      'preset-search-is-read-as-a-pattern': crashingSearch('presets', /[([{]/u),
    },
    'compute.list-instances.free-text-absent': {
      'long-searches-of-instances-do-not-count': unless(
        'searchMatches',
        (_instance, query) => (query.text ?? '').length >= 200,
        true,
      ),
      'search-takes-percent-signs-for-wildcards': replace(
        'textMatches',
        (original, field, text, context) => {
          const parts = text.toLowerCase().split('%');
          if (parts.length === 1) return original(field, text, context);
          let left: string | undefined = field.toLowerCase();
          for (const part of parts) {
            const at: number = left?.indexOf(part) ?? -1;
            left = at === -1 ? undefined : left?.slice(at + part.length);
          }
          return left !== undefined;
        },
      ),
      'search-looks-at-ids': {
        says: 'A search also finds instances by their id.',
        patch: unless('searchMatches', (instance, query) => instance.id === query.text, true),
      },
      'search-with-a-dash-is-no-filter': unless(
        'searchMatches',
        (_instance, query) => query.text?.includes('-') === true,
        true,
      ),
    },
    'compute.presets.free-text-absent': {
      'long-searches-of-presets-do-not-count': unless(
        'presetMatchesText',
        (_preset, query) => (query.text ?? '').length >= 200,
        true,
      ),
    },
    'compute.list-instances.free-text-location': {
      'search-looks-at-locations': (rules) => ({
        searchMatches: (instance, query, context) =>
          rules.searchMatches(instance, query, context) ||
          rules.textMatches(instance.preset.location, query.text ?? '', context),
      }),
    },
    'compute.list-instances.free-text-region': {
      'search-leaves-regions-out': {
        says: 'A search looks at names and GPU models alone.',
        patch: (rules) => ({
          searchMatches: (instance, query, context) =>
            query.text === undefined ||
            [instance.name, instance.preset.gpu].some((field) =>
              rules.textMatches(field, query.text ?? '', context),
            ),
        }),
      },
    },
    'compute.list-instances.free-text-full-name': {
      'search-leaves-out-what-erred': unless(
        'searchMatches',
        (instance, query) => query.text !== undefined && instance.state === 'ERRORED',
        false,
      ),
    },
    'compute.list-instances.free-text-maximum': {
      'search-of-255-is-refused': replace('parseFreeText', (original, name, text, context) => {
        if (context.operation === 'list-instances' && text.length === 255) {
          throw invalid(`${name} is too long.`);
        }
        return original(name, text, context);
      }),
    },
    'compute.list-instances.free-text-too-long': {
      'search-of-256-is-served': unless(
        'parseFreeText',
        (_name, text, context) => context.operation === 'list-instances' && text.length === 256,
        (_name, text) => text,
      ),
      'search-of-any-length-is-cut': unless(
        'parseFreeText',
        (_name, text, context) => context.operation === 'list-instances' && text.length > 1_000,
        (_name, text) => text.slice(0, 255),
      ),
    },
  }),
];
