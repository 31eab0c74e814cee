/** The region and size of an instance in lists, in responses to stops and in presets (compute#variants). */

import { isCodeInAnyCase, isRegionCode, regionCodes } from '../../../schemas/compute/regions.ts';
import { isHeadlineSize } from '../../../schemas/compute/wire.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { answered, expectAnswer, isInformative } from './answers.ts';
import { offered, presetsOf, presetValue } from './presets.ts';
import { contentOf } from '../collection/bounds.ts';
import { actionRecordOf, instancesOf, isSuccess, textOf, type WireRecord } from './records.ts';

/** The location that the response to a stop shows, if any. */
export function locationOf(stop: Exchange): string | undefined {
  const record = actionRecordOf(stop);
  const location = record === undefined ? undefined : textOf(record, 'region');
  return location === '' ? undefined : location;
}

/**
 * The region in a list is not the location in the response to a stop. A location without a region may appear as the region:
 * `unmapped` are the known ones. `presets` are pages filtered by that text and by an unknown region, which differ when
 * presets exist at such a location (compute#variants/rule-1).
 */
export function regionIsNoLocation(
  listed: WireRecord,
  stop: Exchange,
  unmapped: readonly string[],
  presets?: { readonly at: Exchange; readonly unknownRegion: Exchange },
): Judgement {
  const [region, location] = [textOf(listed, 'region'), locationOf(stop)];
  if (region === undefined || location === undefined) return notObserved;
  if (isRegionCode(location) || unmapped.includes(region)) return notObserved;
  if (presets !== undefined && contentOf(presets.at) !== contentOf(presets.unknownRegion)) {
    return notObserved;
  }
  return expectThat(
    region !== location,
    'The list shows the location of an instance as its region.',
    { expected: `one of ${regionCodes.join(', ')}`, actual: region },
    stop,
    ...(presets === undefined ? [] : [presets.at, presets.unknownRegion]),
  );
}

/** A location as region filter gives an empty page. Not observed when `plain`, the list without a filter, is empty too. */
export function noInstancesAt(location: string, page: Exchange, plain: Exchange): Judgement {
  if (!isInformative(page)) return notObserved;
  const records = instancesOf(page);
  if (records?.length === 0 && instancesOf(plain)?.length === 0) return notObserved;
  return expectThat(
    records?.length === 0,
    'The location of an instance, as region filter, does not give an empty page.',
    {
      expected: `an empty page for region=${location}`,
      actual: records === undefined ? answered(page) : `${records.length} instances`,
    },
    page,
  );
}

/**
 * A location as region filter gives no presets, or only those at this location, when it belongs to no region. Without a
 * binding for the location, only a refusal or an empty page is judged.
 */
export function onlyPresetsAt(
  location: string,
  page: Exchange,
  plain: Exchange,
  bindings: ComputeBindings,
): Judgement {
  const expected = `presets at ${location} or none`;
  if (!isSuccess(page)) {
    const message = 'A location as region filter of the presets does not give a page.';
    return expectAnswer(page, false, message, expected);
  }
  const presets = presetsOf(page, bindings);
  const isBound = bindings.presets?.fields?.location !== undefined;
  if (presets === undefined || (presets.length > 0 && !isBound)) return notObserved;
  if (presets.length === 0 && presetsOf(plain, bindings)?.length === 0) return notObserved;
  const wrong = presets.find(
    (preset) =>
      presetValue(preset, 'location', bindings) !== location ||
      isRegionCode(presetValue(preset, 'region', bindings)),
  );
  return expectThat(
    wrong === undefined,
    'A location as region filter selects presets of other locations, or is a location in a region.',
    { expected, actual: wrong },
    page,
  );
}

/** The instances of an account, and all presets. */
export interface BesidePresets {
  readonly records: readonly WireRecord[];
  readonly presets: readonly WireRecord[];
  readonly bindings: ComputeBindings;
  /** SKU names of the presets; empty when there may be further presets. */
  readonly skus: ReadonlySet<string>;
  /** Locations that they show only within a region; empty when there may be further presets. */
  readonly locations: ReadonlySet<string>;
  readonly exchanges: readonly Exchange[];
}

/** Fewest distinct sizes that cannot all belong to presets that are no longer offered. */
const TELLING_SIZES = 3;

/**
 * The sizes of listed instances are SKU names. An instance may outlive its preset, so an unknown size is a violation only
 * when no size is a SKU name, or when it is a headline and no SKU name looks like one.
 */
export function sizesAreSkus({ records, skus, exchanges }: BesidePresets): Judgement {
  const sizes = records.flatMap((record) => textOf(record, 'size') ?? []);
  if (sizes.length === 0 || skus.size === 0) return notObserved;
  const others = sizes.filter((size) => !skus.has(size));
  const isConclusive = Array.from(skus).every((sku) => !isHeadlineSize(sku));
  const headline = isConclusive ? others.find((size) => isHeadlineSize(size)) : undefined;
  const isNone = others.length === sizes.length && new Set(sizes).size >= TELLING_SIZES;
  const other = isNone ? others[0] : headline;
  if (other === undefined && others.length === sizes.length) return notObserved;
  return expectThat(
    other === undefined,
    'The size of a listed instance is the SKU name of no preset.',
    { expected: [...skus].slice(0, 20).join(', '), actual: other },
    ...exchanges,
  );
}

/** A count with a unit that no SKU name has for its own, even where SKU names begin with a count: `8 GPUs`, `80 GB`. */
const plainHeadline = /^\p{N}+\s*[x×]?\s*(?:v?[cg]pu|core|[gt]i?b)s?$/iu;

/** True for a size that is certainly no SKU name: a headline, or what the instance or a preset shows as something else. */
function isOtherThanSku(size: string, record: WireRecord, { presets, skus }: BesidePresets) {
  if (skus.has(size)) return false;
  if (plainHeadline.test(size)) return true;
  if (isHeadlineSize(size) && ![...skus].some((sku) => isHeadlineSize(sku))) return true;
  const elsewhere = [{ ...record, size: undefined }, ...presets];
  return elsewhere.some((shown) => Object.values(shown).includes(size));
}

/**
 * Sizes of listed instances are not all something else than SKU names, and none is a count of units in two words where SKU
 * names are single words. All presets of an account may no longer be offered.
 */
export function someSizeIsSku(shown: BesidePresets): Judgement {
  const { records, skus, exchanges } = shown;
  const sized = new Map(records.map((record) => [textOf(record, 'size') ?? '', record]));
  sized.delete('');
  const sizes = [...sized.keys()];
  const isOneWord = ![...skus].some((sku) => /\s/u.test(sku));
  const others = [...sized].filter(([size, record]) => isOtherThanSku(size, record, shown));
  const isNone = others.length === sizes.length && sizes.length >= TELLING_SIZES;
  const counts = sizes.filter((size) => /\s/u.test(size) && plainHeadline.test(size));
  const other = isNone ? sizes : isOneWord ? counts : [];
  if (skus.size === 0) return notObserved;
  if (other.length === 0 && !sizes.some((size) => skus.has(size))) return notObserved;
  return expectThat(
    other.length === 0,
    'The size of a listed instance is something else than the SKU name of a preset.',
    {
      expected: `one like ${[...skus].slice(0, 20).join(', ')}`,
      actual: other.slice(0, 20).join(', '),
    },
    ...exchanges,
  );
}

/** Instances that must all show their SKU name before this counts as more than chance. */
const TELLING_ANSWERS = 2;

/** A SKU name that is itself a count and a unit, in several words: `8 GPUs`, `8x H100 80GB`. */
const isHeadlineSku = (sku: string): boolean => /\s/u.test(sku) && isHeadlineSize(sku);

/** Sizes in responses to stops are not SKU names, unless the name is a count and a GPU model, such as `8x-h100`. */
export function sizesAreNoSkus(
  stops: readonly { readonly listed: WireRecord; readonly stop: Exchange }[],
): Judgement {
  const conclusive = stops.filter(({ listed, stop }) => {
    const [sku, model] = [textOf(listed, 'size'), textOf(listed, 'gpu_type')];
    const isShown = textOf(actionRecordOf(stop) ?? {}, 'size') !== undefined;
    if (!isShown || sku === undefined || isHeadlineSku(sku)) return false;
    return lettersOf(sku) !== lettersOf(model ?? '');
  });
  if (conclusive.length < TELLING_ANSWERS) return notObserved;
  const same = conclusive.filter(
    ({ listed, stop }) => listed['size'] === (actionRecordOf(stop) ?? {})['size'],
  );
  return expectThat(
    same.length < conclusive.length,
    'The answers to stops show the SKU name as the size.',
    { expected: 'a count and a unit', actual: same.map(({ listed }) => listed['size']) },
    ...same.map(({ stop }) => stop),
  );
}

/** A name in lower case without a leading or trailing count and without punctuation. */
function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/^\d+\s*[x×]?|[x×]?\s*\d+$/gu, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Locations that presets show only within a region; `unmapped` are those that the target file says are in none. */
export function locationsWithin(
  presets: readonly WireRecord[],
  unmapped: readonly string[],
  bindings: ComputeBindings,
): ReadonlySet<string> {
  const within = new Set<string>();
  const without = new Set(unmapped);
  for (const preset of presets) {
    const location = presetValue(preset, 'location', bindings);
    if (typeof location !== 'string' || location === '' || isCodeInAnyCase(location)) continue;
    (isRegionCode(presetValue(preset, 'region', bindings)) ? within : without).add(location);
  }
  return new Set([...within].filter((location) => !without.has(location)));
}

/**
 * The location in an answer to an action is one of the region that a list shows of the instance. `locations` are those that
 * the presets show only within a region (compute#variants/rule-2).
 */
export function locationWithinRegion(
  listed: WireRecord,
  answer: Exchange,
  { presets, locations, bindings, exchanges }: BesidePresets,
): Judgement {
  const [region, location] = [textOf(listed, 'region'), locationOf(answer)];
  if (!isRegionCode(region) || location === undefined || !locations.has(location)) {
    return notObserved;
  }
  const regions = offered(presets, 'region', bindings, 'location').get(location);
  return expectThat(
    regions?.has(region) === true,
    'The answer to an action shows a location in another region than that of the instance.',
    { expected: `a location in ${region}`, actual: location },
    answer,
    ...exchanges,
  );
}

/** No listed instance shows such a location as its region. */
export function runsInRegions(
  records: readonly WireRecord[],
  locations: ReadonlySet<string>,
  ...exchanges: readonly Exchange[]
): Judgement {
  const located = records.filter((record) => textOf(record, 'region') !== undefined);
  if (located.length === 0) return notObserved;
  const wrong = located.find((record) => locations.has(textOf(record, 'region') ?? ''));
  return expectThat(
    wrong === undefined,
    'A list shows a location in the place of the region that an instance runs in.',
    { expected: 'the region that the presets show for the location', actual: wrong },
    ...exchanges,
  );
}

/** Listed instances have the GPU model and the CPUs of the preset that their size names. */
export function fitsPreset({ records, presets, bindings, exchanges }: BesidePresets): Judgement {
  const [cpus, models] = (['cpu', 'gpu'] as const).map((field) =>
    offered(presets, field, bindings),
  );
  // Presets may spell a model differently from lists: only models that some preset has are compared.
  const known = new Set([...(models?.values() ?? [])].flatMap((some) => [...some]));
  const compared = [
    {
      field: 'cpu_count',
      offers: cpus,
      // What does not run may have no CPUs allocated.
      isComparable: (value: unknown) => typeof value === 'number' && value !== 0,
    },
    { field: 'gpu_type', offers: models, isComparable: (value: unknown) => known.has(value) },
  ];
  return together(
    ...records.flatMap((record) =>
      compared.map(({ field, offers, isComparable }) => {
        const some = offers?.get(textOf(record, 'size') ?? '');
        const isConclusive = some !== undefined && [...some].every((value) => isComparable(value));
        if (!isConclusive || !isComparable(record[field])) return notObserved;
        return expectThat(
          some.has(record[field]),
          `The ${field} of a listed instance is not that of the preset that its size names.`,
          {
            expected: `${[...some].join(' or ')}, as the preset ${textOf(record, 'size')}`,
            actual: `${String(record[field])} (instance ${textOf(record, 'instance_id')})`,
          },
          ...exchanges,
        );
      }),
    ),
  );
}
