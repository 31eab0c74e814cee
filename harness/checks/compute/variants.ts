/** One instance as a list shows it and as answers to stops show it (compute#variants). */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import { isHeadlineSize } from '../../../schemas/compute/wire.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { presetValue, presetsOf } from './presets.ts';
import { contentOf } from './page.ts';
import {
  type WireRecord,
  actionRecordOf,
  instancesOf,
  isSuccess,
  numberOf,
  textOf,
} from './records.ts';
import { CREDIT, ROUNDING } from './rounding.ts';
import { UNITS_APART } from './storage-figure.ts';

/** The location that the answer to a stop shows; undefined when it is no answer, or shows none. */
export function locationOf(stop: Exchange): string | undefined {
  const record = actionRecordOf(stop);
  const location = record === undefined ? undefined : textOf(record, 'region');
  return location === '' ? undefined : location;
}

/**
 * The region that a list shows of an instance is not the location that the answer to a stop of it shows. A location that
 * belongs to no region may stand for one: `unmapped` are those that are known, and `presets` are pages of presets for
 * that text and for one that is no region, which differ where presets are at such a location (compute#variants/rule-1).
 */
export function regionIsNoLocation(
  listed: WireRecord,
  stop: Exchange,
  unmapped: readonly string[],
  presets?: { readonly at: Exchange; readonly nowhere: Exchange },
): Judgement {
  const [region, location] = [textOf(listed, 'region'), locationOf(stop)];
  if (region === undefined || location === undefined) return notObserved;
  if (isRegionCode(location) || unmapped.includes(region)) return notObserved;
  if (presets !== undefined && contentOf(presets.at) !== contentOf(presets.nowhere)) {
    return notObserved;
  }
  return expectThat(
    region !== location,
    'The list shows the location of an instance as its region.',
    { expected: `one of ${regionCodes.join(', ')}`, actual: region },
    stop,
    ...(presets === undefined ? [] : [presets.at, presets.nowhere]),
  );
}

function isRegionCode(text: string): boolean {
  return regionCodes.some((code) => code === text);
}

/** A location as region filter gives an empty page of instances; `plain`, without a filter, must not be empty, too. */
export function noInstancesAt(location: string, page: Exchange, plain: Exchange): Judgement {
  if (!isTelling(page)) return notObserved;
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
 * A location as region filter gives no presets, or only those at that very location, when it belongs to no region.
 * Where the bindings do not tell where the presets are, only a refusal shows anything.
 */
export function onlyPresetsAt(
  location: string,
  page: Exchange,
  plain: Exchange,
  bindings: ComputeBindings,
): Judgement {
  if (!isTelling(page)) return notObserved;
  const expected = `presets at ${location} or none`;
  if (!isSuccess(page)) {
    return violated(
      'A location as region filter of the presets does not give a page.',
      { expected, actual: answered(page) },
      page,
    );
  }
  const presets = presetsOf(page, bindings);
  const isBound = bindings.presets?.fields?.location !== undefined;
  if (presets === undefined || (presets.length > 0 && !isBound)) return notObserved;
  if (presets.length === 0 && presetsOf(plain, bindings)?.length === 0) return notObserved;
  const wrong = presets.find(
    (preset) =>
      presetValue(preset, 'location', bindings) !== location ||
      regionCodes.some((code) => code === presetValue(preset, 'region', bindings)),
  );
  return expectThat(
    wrong === undefined,
    'A location as region filter selects presets of other locations, or is a location in a region.',
    { expected, actual: wrong },
    page,
  );
}

/** Two answers to stops of one stopped instance show the same disk. */
export function sameDisk(first: Exchange, second: Exchange): Judgement {
  const [one, other] = [first, second].map((exchange) => field(exchange, 'storage_used_gb'));
  if (one === undefined || other === undefined) return notObserved;
  return expectThat(
    one === other,
    'The provisioned disk of a stopped instance changed between two stops.',
    { expected: one, actual: other },
    second,
    first,
  );
}

/** The storage in use that a list showed is not above the disk that the answer to a stop shows. */
export function withinDisk(listed: WireRecord, stop: Exchange): Judgement {
  const [used, disk] = [numberOf(listed, 'storage_used_gb'), field(stop, 'storage_used_gb')];
  if (used === undefined || disk === undefined) return notObserved;
  return expectThat(
    used <= UNITS_APART * disk + ROUNDING,
    'The storage in use is above the provisioned disk.',
    { expected: `at most ${disk}`, actual: used },
    stop,
  );
}

/**
 * The cost in the answer to a stop is not below the whole cost that a list showed before, but for how it is rounded. What has
 * cost no more than that tells nothing.
 */
export function costNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  const total = numberOf(listedBefore, 'total_cost_incurred');
  const current = field(stop, 'current_cost');
  if (total === undefined || current === undefined || total <= CREDIT) return notObserved;
  return expectThat(
    current >= total - CREDIT,
    'The current cost in the answer to a stop is below the total cost that was seen before.',
    { expected: `at least ${total}`, actual: current },
    stop,
  );
}

/**
 * The cost in the answer to a first stop is no small part of the whole cost that a list showed before: what a run
 * costs may be rounded when it ends, and is not forgotten.
 */
export function costKept(listedBefore: WireRecord, stop: Exchange): Judgement {
  const total = numberOf(listedBefore, 'total_cost_incurred');
  const current = field(stop, 'current_cost');
  if (total === undefined || current === undefined || total <= CREDIT) return notObserved;
  return expectThat(
    current >= total / 2,
    'The current cost in the answer to a stop is far below the total cost that was seen before.',
    { expected: `about ${total}`, actual: current },
    stop,
  );
}

function field(exchange: Exchange, name: string): number | undefined {
  const record = isSuccess(exchange) ? actionRecordOf(exchange) : undefined;
  return record === undefined ? undefined : numberOf(record, name);
}

/** Sizes of instances that do not all outlive their presets. */
const TELLING_SIZES = 3;

/**
 * The sizes of listed instances are SKU names of presets. An instance may outlive its preset, so one that is no longer
 * offered is wrong only where no size is a SKU name, or where it is a headline and SKU names are none.
 */
export function sizesAreSkus(
  records: readonly WireRecord[],
  skus: ReadonlySet<string>,
  page: Exchange,
): Judgement {
  const sizes = records.flatMap((record) => textOf(record, 'size') ?? []);
  if (sizes.length === 0 || skus.size === 0) return notObserved;
  const others = sizes.filter((size) => !skus.has(size));
  const isTold = Array.from(skus).every((sku) => !isHeadlineSize(sku));
  const headline = isTold ? others.find((size) => isHeadlineSize(size)) : undefined;
  const isNone = others.length === sizes.length && new Set(sizes).size >= TELLING_SIZES;
  const other = isNone ? others[0] : headline;
  if (other === undefined && others.length === sizes.length) return notObserved;
  return expectThat(
    other === undefined,
    'The size of a listed instance is the SKU name of no preset.',
    { expected: [...skus].slice(0, 20).join(', '), actual: other },
    page,
  );
}

/** Some size of listed instances is the SKU name of a preset: where none is, sizes are something else. */
export function someSizeIsSku(
  records: readonly WireRecord[],
  skus: ReadonlySet<string>,
  page: Exchange,
): Judgement {
  const sizes = records.flatMap((record) => textOf(record, 'size') ?? []);
  const isAny = sizes.some((size) => skus.has(size));
  // Of a few sizes alone, all presets may have been taken from the offer.
  if (skus.size === 0 || (!isAny && new Set(sizes).size < TELLING_SIZES)) return notObserved;
  return expectThat(
    isAny,
    'No size of a listed instance is the SKU name of a preset.',
    {
      expected: `among others ${[...skus].slice(0, 20).join(', ')}`,
      actual: [...new Set(sizes)].slice(0, 20).join(', '),
    },
    page,
  );
}

/** Instances of which both must show their SKU name before that is no chance. */
const TELLING_ANSWERS = 2;

/**
 * The sizes in answers to stops are not the SKU names that the list shows. A SKU name that is a count and the GPU model, such
 * as `8x-h100`, may be the headline, too.
 */
export function sizesAreNoSkus(
  sights: readonly { readonly listed: WireRecord; readonly stop: Exchange }[],
): Judgement {
  const telling = sights.filter(({ listed, stop }) => {
    const [sku, model] = [textOf(listed, 'size'), textOf(listed, 'gpu_type')];
    const isShown = textOf(actionRecordOf(stop) ?? {}, 'size') !== undefined;
    return isShown && sku !== undefined && lettersOf(sku) !== lettersOf(model ?? '');
  });
  if (telling.length < TELLING_ANSWERS) return notObserved;
  const same = telling.filter(
    ({ listed, stop }) => listed['size'] === (actionRecordOf(stop) ?? {})['size'],
  );
  return expectThat(
    same.length < telling.length,
    'The answers to stops show the SKU name as the size.',
    { expected: 'a count and a unit', actual: same.map(({ listed }) => listed['size']) },
    ...same.map(({ stop }) => stop),
  );
}

/** A name without a count in front of it or behind it, without signs and case. */
function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/^\d+\s*[x×]?|[x×]?\s*\d+$/gu, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
