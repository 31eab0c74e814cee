/**
 * Variants in accounts, keys, names, presets and locations, and the default deployment with shorter target files: the
 * suite does not exercise what they leave out, and raises no alarm.
 */

import type { Rows } from '../../fault.ts';
import { variantTable, describedInPart } from '../../variant.ts';
import type { Preset } from '../model.ts';
import { defaultPresets } from '../seed.ts';
import { type ComputeVariant, instancesLike, offering, type Patch, starting } from './variant.ts';

/** Other catalogues, with accounts that fit them. */
function catalogues(table: Rows<() => readonly Preset[]>): readonly ComputeVariant[] {
  return variantTable(table, (made) => offering(made()));
}

/** Accounts with other instances. */
function instancesAs(table: Rows<Parameters<typeof instancesLike>[0]>): readonly ComputeVariant[] {
  return variantTable(table, instancesLike);
}

const oddLocations: Readonly<Record<string, string>> = {
  'abu-dhabi-1': 'Abu Dhabi / 1',
  'dubai-2': 'uae',
  'paris-1': 'Île-de-France & co',
  'marseille-1': 'FR1',
  'ashburn-1': 'US East (a+b)',
  'dallas-3': '美国-3',
  'lab-1': 'lab one',
};

/** Longer than the maximum search text. */
const LONG_NAME = 'n'.repeat(300);
const unicodeNames = [
  'ß',
  'İstanbul ı',
  '👩‍🚀 crew',
  'zero\u200Bwidth',
  'ＦＵＬＬ',
  'ﬁne',
  '١٢٣',
  'e\u0301 é',
  'crew\uD83D',
  'é'.repeat(200),
];

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A search by words that ignores punctuation, like a full-text index. Every word has to match, or some word. */
function searchingWords(
  enough: 'every' | 'some',
  isIn = (word: string, field: string) => wordsOf(field).includes(word),
): Patch {
  return () => ({
    textMatches: (field, text) => {
      const wanted = wordsOf(text);
      return wanted.length > 0 && wanted[enough]((word) => isIn(word, field));
    },
  });
}

/** Presets with locations that are named after their regions. */
function presetsAtNamedPlaces(): readonly Preset[] {
  return defaultPresets().map((preset) => ({
    ...preset,
    location: `${preset.region ?? 'no'}-${preset.location}`.toLowerCase(),
  }));
}

const signs = ['---', '!!!', '*', '🤖🚀', '%_%', '…'];

export const populationVariants: readonly ComputeVariant[] = [
  ...catalogues({
    'one-region: Everything is offered in one region.': () =>
      defaultPresets().filter(({ region }) => region === 'FR'),
    'one-model: Every preset has the same GPU model, in several counts.': () =>
      defaultPresets().filter(({ gpu }) => gpu === 'H100'),
    'one-preset: There is a single preset.': () =>
      defaultPresets()
        .filter(({ region }) => region === 'UAE')
        .slice(0, 1),
    'many-presets: The presets fill more than two of the largest pages.': () =>
      Array.from({ length: 9 }, (_, copy) =>
        defaultPresets().map((preset) => ({
          ...preset,
          id: `${preset.id}-${copy}`,
          sku: `${preset.sku}.${copy}`,
        })),
      ).flat(),
  }),
  ...starting({
    'skus-are-headlines: SKU names are counts of GPUs, as answers to stops show them, too; sizes are sorted by their disk.':
      () => {
        const presets = defaultPresets().map((preset) => ({
          ...preset,
          sku: `${preset.gpuCount} GPU${preset.gpuCount === 1 ? '' : 's'}`,
        }));
        return { ...offering(presets), choices: { sizeOrder: 'disk' } };
      },
    'retired-presets: Some instances run on presets that are no longer offered.': () => {
      const presets = defaultPresets();
      const retired = new Set(presets.slice(0, 3).map(({ sku }) => sku));
      return { ...offering(presets), presets: presets.filter(({ sku }) => !retired.has(sku)) };
    },
  }),
  ...catalogues({
    'odd-locations: Locations are named in other scripts and with signs.': () =>
      defaultPresets().map((preset) => ({
        ...preset,
        location: oddLocations[preset.location] ?? preset.location,
      })),
  }),
  ...instancesAs({
    'long-names: Names are longer than a search may be, or empty.': (instance, index) => ({
      ...instance,
      name: index % 3 === 0 ? '' : `${LONG_NAME}${index}`,
    }),
  }),
  ...starting({
    'one-word-is-enough: A search finds what has one of its words; locations are named after their regions.':
      () => ({ ...offering(presetsAtNamedPlaces()), patch: searchingWords('some') }),
    'parts-of-words-in-any-order: A search finds what has each of its words somewhere, within longer ones too.':
      () => ({
        patch: searchingWords('every', (word, field) => field.toLowerCase().includes(word)),
      }),
    'signs-as-names: A search compares words alone, and some names have none.': () => ({
      ...instancesLike((instance, index) => ({
        ...instance,
        name: index % 5 === 0 ? instance.name : (signs[index % signs.length] ?? ''),
      })),
      patch: searchingWords('every'),
    }),
    'unicode-names: Names fold and normalise in unusual ways, are cut within a character, or long in bytes, which count.':
      () => ({
        ...instancesLike((instance, index) => ({
          ...instance,
          name: unicodeNames[index % unicodeNames.length] ?? '',
        })),
        choices: { lengthCounts: 'bytes' },
      }),
  }),
  ...instancesAs({
    'created-together: All instances were created at one instant.': (instance) => ({
      ...instance,
      createdAt: Date.UTC(2026, 0, 1),
    }),
    'created-in-microseconds: All instances were created within a few microseconds after midnight.':
      (instance, index) => ({ ...instance, createdAt: Date.UTC(2026, 0, 1) + index / 1_000 }),
    'terminated-come-first: The newest two instances of each account have never run, and are TERMINATED.':
      (instance, index, { count }) =>
        index < count - 2
          ? instance
          : {
              ...instance,
              state: 'TERMINATED',
              startedAt: undefined,
              terminatedAt: instance.createdAt + 1_000,
              terminationReason: 'Terminated on request.',
              settledCost: 0,
              settledRunMs: 0,
            },
    'instances-without-region: Some instances run at a location that belongs to no region.': (
      instance,
      index,
      { presets },
    ) => ({
      ...instance,
      preset:
        (index % 4 === 0 && presets.find(({ region }) => region === undefined)) || instance.preset,
    }),
  }),
  ...starting({
    'one-key: There is a primary key, and no other one.': () =>
      offering(undefined, ({ keys }) => ({ keys: keys.filter(({ role }) => role === 'primary') })),
    'no-credits: The account has no credits left.': () =>
      offering(undefined, ({ accounts }) => ({
        accounts: accounts.map((account) => ({ ...account, credits: 0 })),
      })),
  }),
];

export const targetFileVariants: readonly ComputeVariant[] = describedInPart({
  'target-of-one-key: Has a target file with one key and nothing else.': [
    'keys.second',
    'keys.empty',
    'keys.forbidden',
    'bindings',
    'instances',
    'consent',
  ],
  'target-without-preset-filters: Has a target file that names no filter of presets.': [
    'bindings.presets.filters',
    'bindings.locations',
  ],
  'target-without-preset-fields: Has a target file that names no field of a preset.': [
    'bindings.presets.fields',
    'bindings.regions',
    'keys.forbidden',
  ],
  'target-without-preset-items: Has a target file that does not say where the presets stand.': [
    'bindings.presets.items',
    'bindings.getInstance',
    'keys.empty',
  ],
  'target-without-provision: Has a target file that tells no way to make instances.': [
    'instances.provision',
    'keys.second',
  ],
  'target-without-terminate: Has a target file that permits no terminate.': [
    'consent.terminate',
    'bindings.terminate',
    'instances.terminated',
  ],
  'target-without-stop: Has a target file that permits no stop.': [
    'consent.stop',
    'consent.exhaustRateLimit',
    'bindings.start',
    'instances.stopped',
  ],
});
