import { describe, expect, test } from 'vitest';
import { testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import { exchangeOf, listRecord, stopAnswer as stop } from './exchange.test.support.ts';
import { showsUse } from './storage.ts';
import {
  type BesidePresets,
  fitsPreset,
  locationOf,
  locationsWithin,
  locationWithinRegion,
  noInstancesAt,
  onlyPresetsAt,
  regionIsNoLocation,
  runsInRegions,
  sizesAreNoSkus,
  sizesAreSkus,
  someSizeIsSku,
} from './variants.ts';

type Records = BesidePresets['records'];
const beside = (records: Records, more: Partial<BesidePresets>): BesidePresets => ({
  records,
  presets: [],
  bindings: {},
  skus: new Set(),
  locations: new Set(),
  exchanges: [],
  ...more,
});
const page = (data: readonly unknown[], status = 200) =>
  exchangeOf({ status, body: { data, pagination: { next: null, size: 50 } } });

describe('locations', () => {
  test('are those of answers to stops', () => {
    expect(locationOf(stop())).toBe('par-2');
    expect(locationOf(stop({ region: '' }))).toBeUndefined();
    expect(locationOf(stop({}, 409))).toBeUndefined();
  });

  const at = (one: ReturnType<typeof page>, plain = page([{}])) =>
    noInstancesAt('par-2', one, plain);
  const fields = { location: 'place', region: 'region' };
  const bound = { presets: { items: 'data', fields } };
  const presets = (one: ReturnType<typeof page>, bindings: object = bound, plain = page([{}])) =>
    onlyPresetsAt('par-2', one, plain, bindings);
  const items = { presets: { items: 'data' } };
  const here = { place: 'par-2' };
  testVerdicts([
    ['have no instances', 'held', at(page([]))],
    ['have some', 'broken', at(page([listRecord()]))],
    ['are refused', 'broken', at(page([], 400)), at(page([], 400), page([]))],
    ['meet trouble', 'unseen', at(page([], 503))],
    ['of an account without instances', 'unseen', at(page([]), page([]))],
    ['have presets of theirs', 'held', presets(page([here]))],
    ['have none, or some in no region', 'held', presets(page([]))],
    ['have none, or some in no region', 'held', presets(page([{ ...here, region: null }]))],
    ['have presets of others', 'broken', presets(page([here, { place: 'par-3' }]))],
    ['have presets in a region', 'broken', presets(page([{ ...here, region: 'FR' }]))],
    ['have presets of unknown places', 'unseen', presets(page([{}]), items), presets(page([]), {})],
    ['where there are no presets', 'unseen', presets(page([]), items, page([]))],
    ['are refused for presets', 'broken', presets(page([], 400), {})],
    ['are refused for presets', 'broken', presets(page([], 400), items, page([]))],
  ]);

  const shown = (
    region: string,
    location: string,
    unmapped: readonly string[] = [],
    offers?: readonly object[],
  ) =>
    regionIsNoLocation(
      listRecord({ region }),
      stop({ region: location }),
      unmapped,
      offers && { at: page(offers), unknownRegion: page([]) },
    );
  testVerdicts([
    ['are no regions', 'held', shown('FR', 'par-2')],
    ['are shown as regions', 'broken', shown('par-2', 'par-2'), shown('par-2', 'par-2', [], [])],
    // Another requirement judges a region in the response to a stop.
    ['are regions', 'unseen', shown('FR', 'FR')],
    ['belong to no region', 'unseen', shown('par-2', 'par-2', ['par-2'])],
    ['have presets in no region', 'unseen', shown('par-2', 'par-2', [], [here])],
  ]);

  const bindings = { presets: { items: 'data', fields: { region: 'region', location: 'at' } } };
  const within = locationsWithin(
    [
      { at: 'par-2', region: 'FR' },
      { at: 'dxb-1', region: 'UAE' },
      { at: 'lab-1', region: null },
      { at: 'lab-2', region: 'US' },
      { at: 'us', region: 'US' },
      { at: 'iad-1', region: 'US' },
      { at: 'iad-1' },
    ],
    ['lab-2'],
    bindings,
  );
  test('stand in a region alone', () => {
    expect([...within]).toEqual(['par-2', 'dxb-1']);
  });
  const inPar2 = (region: string, location: string, place = 'FR') =>
    locationWithinRegion(
      listRecord({ region }),
      stop({ region: location }),
      beside([], { presets: [{ at: 'par-2', region: place }], locations: within, bindings }),
    );
  testVerdicts([
    ['in their region', 'held', inPar2('FR', 'par-2')],
    ['in another region', 'broken', inPar2('US', 'par-2')],
    ['in the place of a region', 'unseen', inPar2('lab-1', 'par-2'), inPar2('FR', 'FR')],
    ['in a region or in none', 'unseen', inPar2('FR', 'iad-1'), inPar2('FR', 'par-9')],
  ]);
  const listed = (regions: readonly string[]) =>
    runsInRegions(
      regions.map((region) => listRecord({ region })),
      within,
    );
  testCheck('in the place of a region', listed, {
    held: [['FR', 'lab-1'], ['iad-1']],
    broken: [['FR', 'par-2']],
    unseen: [[]],
  });
});

describe('sizes', () => {
  const records = (sizes: string, skus = new Set(['h100-sxm-2'])) =>
    beside(
      sizes.split(',').flatMap((size) => (size === '' ? [] : [listRecord({ size })])),
      { skus },
    );
  const none = new Set<string>();
  const headlines = new Set(['h100-sxm-2', '4x-v100']);

  // An instance may outlive its preset, and its size is still a SKU name.
  testCheck('all SKU names', (sizes: string) => sizesAreSkus(records(sizes)), {
    held: ['h100-sxm-2', 'h100-sxm-2,v100-4'],
    broken: ['2 GPUs', 'h100-sxm-2,4 GPUs', 'v100-1,v100-2,v100-4'],
    unseen: ['', 'v100-2,v100-4'],
  });
  testCheck('some SKU name', (sizes: string) => someSizeIsSku(records(sizes)), {
    held: ['h100-sxm-2,v100,v100', 'h100-sxm-2'],
    broken: ['2gpu,4gpu,8gpu', '2gpu,4gpu,H100', 'h100-sxm-2,2 GPUs'],
    // The last are those of presets that are all offered no more.
    unseen: ['', '2gpu,4gpu', 'v100-1,v100-2,v100-4', '2gpu,4gpu,v100-1'],
  });
  testVerdicts([
    ['no SKU known', 'unseen', sizesAreSkus(records('a', none)), someSizeIsSku(records('a', none))],
    ['SKU names as headlines', 'held', sizesAreSkus(records('h100-sxm-2,8x-v100', headlines))],
    [
      'counts beside such names',
      'broken',
      someSizeIsSku(records('1 GPU,2 GPUs,4 GPUs', headlines)),
    ],
    [
      'old names among them',
      'unseen',
      someSizeIsSku(records('1x-a100,2x-a100,4x-a100', headlines)),
    ],
  ]);

  testRows(
    'SKU names with sizes in answers to stops',
    (...pairs) =>
      sizesAreNoSkus(
        pairs.map((pair) => {
          const [size, stopped] = pair.split(' / ');
          return { listed: listRecord({ size, gpu_type: 'H100' }), stop: stop({ size: stopped }) };
        }),
      ),
    {
      held: ['large / 8 GPUs,large / 1 GPU', 'large / large,large / 1 GPU'],
      broken: ['large / large,large / large'],
      unseen: ['8x-H100 / 8x-H100,1x-H100 / 1x-H100', 'large / large'],
    },
  );
});

describe('the preset of an instance', () => {
  const fields = { sku: 'sku', gpu: 'gpu', cpu: 'cpu', storage: 'disk' };
  const bindings = { presets: { items: 'data', fields } };
  const presets = [
    { sku: '1x-h100', gpu: 'H100', cpu: 24, disk: 500 },
    { sku: '8x-h100', gpu: 'H100', cpu: 192, disk: 4_000 },
    { sku: '1x-a100', gpu: 'A100', cpu: 16, disk: 400 },
  ];
  testRows(
    'its size, model and CPUs',
    (size, gpu_type, cpus) => {
      const record = listRecord({ size, gpu_type, cpu_count: Number(cpus) });
      return fitsPreset(beside([record], { presets, bindings }));
    },
    {
      // The second list spells models differently from the presets.
      held: ['8x-h100,H100,192', '8x-h100,NVIDIA H100,192'],
      broken: ['8x-h100,H100,24', '8x-h100,A100,192'],
      unseen: ['withdrawn,A100,1', '8x-h100,NVIDIA H100,0'],
    },
  );
  const inWords = [{ sku: '1x-h100', gpu: '1x H100 80GB', cpu: '24 vCPU' }];
  const record = listRecord({ size: '1x-h100', gpu_type: 'H100', cpu_count: 24 });
  const said = beside([record], { presets: inWords, bindings });
  testVerdicts([['in words', 'unseen', fitsPreset(said)]]);

  const uses = (storage: readonly number[], offers = presets) => {
    const all = storage.map((storage_used_gb) => listRecord({ size: '1x-h100', storage_used_gb }));
    return showsUse(beside(all, { presets: offers, bindings }));
  };
  testCheck('storage in use', (storage: readonly number[]) => uses(storage), {
    held: [[500, 500, 500, 500, 12.5]],
    broken: [[500, 500, 500, 500, 500]],
    unseen: [[500, 500, 500, 500]],
  });
  testVerdicts([['storage of no preset', 'unseen', uses([500, 500, 500, 500, 500], [])]]);
});
