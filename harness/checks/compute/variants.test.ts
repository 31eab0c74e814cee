import { describe, expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { costKept, costNotReset } from './figures.ts';
import { showsUse, withinDisk } from './storage.ts';
import {
  fitsPreset,
  locationOf,
  locationsWithin,
  noInstancesAt,
  onlyPresetsAt,
  regionIsNoLocation,
  runsInRegions,
  sizesAreNoSkus,
  sizesAreSkus,
  someSizeIsSku,
} from './variants.ts';
import { outcomeOf } from './verdicts.test.support.ts';

describe('variants', () => {
  function stop(change: Readonly<Record<string, unknown>> = {}, status = 200) {
    return exchangeOf({
      method: 'POST',
      path: '/instances/i/stop',
      status,
      body: actionRecord(change),
    });
  }

  function page(data: readonly unknown[], status = 200) {
    return exchangeOf({ status, body: { data, pagination: { next: null, size: 50 } } });
  }

  test('the location of a stop answer', () => {
    expect(locationOf(stop())).toBe('par-2');
    expect(locationOf(stop({ region: '' }))).toBeUndefined();
    expect(locationOf(stop({}, 409))).toBeUndefined();
  });

  test.each([
    [page([]), 'held'],
    [page([listRecord()]), 'violated'],
    [page([], 400), 'violated'],
    [page([], 503), 'vacuous'],
  ])('instances under a location', (answer, expected) => {
    expect(outcomeOf(noInstancesAt('par-2', answer, page([{}])))).toBe(expected);
  });

  test.each([
    ['FR', 'par-2', [], undefined, 'held'],
    ['par-2', 'par-2', [], undefined, 'violated'],
    // A region in the answer to a stop is for a requirement of its own.
    ['FR', 'FR', [], undefined, 'vacuous'],
    ['par-2', 'par-2', ['par-2'], undefined, 'vacuous'],
    ['par-2', 'par-2', [], [], 'violated'],
    ['par-2', 'par-2', [], [{ place: 'par-2' }], 'vacuous'],
  ])(
    'a list that shows %s, and a stop that shows %s',
    (region, location, unmapped, at, expected) => {
      const presets = at && { at: page(at), nowhere: page([]) };
      const listed = listRecord({ region });
      expect(
        outcomeOf(regionIsNoLocation(listed, stop({ region: location }), unmapped, presets)),
      ).toBe(expected);
    },
  );

  test('an account without instances shows nothing of a filter, unless it is refused', () => {
    expect(outcomeOf(noInstancesAt('par-2', page([]), page([])))).toBe('vacuous');
    expect(outcomeOf(noInstancesAt('par-2', page([], 400), page([])))).toBe('violated');
    const bindings = { presets: { items: 'data' } };
    expect(outcomeOf(onlyPresetsAt('par-2', page([]), page([]), bindings))).toBe('vacuous');
    expect(outcomeOf(onlyPresetsAt('par-2', page([], 400), page([]), bindings))).toBe('violated');
  });

  test.each([
    [[], 'held'],
    [[{ place: 'par-2' }], 'held'],
    [[{ place: 'par-2', region: null }], 'held'],
    [[{ place: 'par-2' }, { place: 'par-3' }], 'violated'],
    [[{ place: 'par-2', region: 'FR' }], 'violated'],
  ])('presets %j under the location par-2: %s', (presets, expected) => {
    const fields = { location: 'place', region: 'region' };
    const bindings = { presets: { items: 'data', fields } };
    expect(outcomeOf(onlyPresetsAt('par-2', page(presets), page([{}]), bindings))).toBe(expected);
  });

  test('presets of an unknown location say nothing', () => {
    expect(
      outcomeOf(onlyPresetsAt('par-2', page([{}]), page([{}]), { presets: { items: 'data' } })),
    ).toBe('vacuous');
    expect(outcomeOf(onlyPresetsAt('par-2', page([]), page([{}]), {}))).toBe('vacuous');
    expect(outcomeOf(onlyPresetsAt('par-2', page([], 400), page([{}]), {}))).toBe('violated');
  });

  test('storage in use is within the disk', () => {
    expect(outcomeOf(withinDisk(listRecord(), stop()))).toBe('held');
    expect(outcomeOf(withinDisk(listRecord({ storage_used_gb: 1_001 }), stop()))).toBe('violated');
    expect(outcomeOf(withinDisk({}, stop()))).toBe('vacuous');
  });

  test('the cost of a stop answer is that of the whole life', () => {
    expect(outcomeOf(costNotReset(listRecord(), stop()))).toBe('held');
    expect(outcomeOf(costNotReset(listRecord(), stop({ current_cost: 8.4 })))).toBe('violated');
    const listed = (total: number) => listRecord({ total_cost_incurred: total });
    expect(outcomeOf(costNotReset(listed(84.7), stop({ current_cost: 84 })))).toBe('held');
    expect(outcomeOf(costNotReset(listed(0.9), stop({ current_cost: 0 })))).toBe('vacuous');
    expect(outcomeOf(costNotReset(listRecord(), stop({}, 409)))).toBe('vacuous');
  });

  test('the cost at a first stop is not forgotten', () => {
    const kept = (total: number, current: number) =>
      outcomeOf(
        costKept(listRecord({ total_cost_incurred: total }), stop({ current_cost: current })),
      );
    expect(kept(12, 12.5)).toBe('held');
    expect(kept(12, 11)).toBe('held');
    expect(kept(12, 0)).toBe('violated');
    expect(kept(0.01, 0)).toBe('vacuous');
    expect(kept(0.4, 0)).toBe('vacuous');
  });

  test('sizes are SKU names', () => {
    const skus = new Set(['h100-sxm-2']);
    expect(outcomeOf(sizesAreSkus([listRecord()], skus, page([])))).toBe('held');
    expect(outcomeOf(sizesAreSkus([listRecord({ size: '2 GPUs' })], skus, page([])))).toBe(
      'violated',
    );
    expect(outcomeOf(sizesAreSkus([], skus, page([])))).toBe('vacuous');
    expect(outcomeOf(sizesAreSkus([listRecord()], new Set(), page([])))).toBe('vacuous');
  });

  test('an instance may outlive its preset, and its size is a name all the same', () => {
    const skus = new Set(['h100-sxm-2']);
    const beside = (size: string) =>
      outcomeOf(sizesAreSkus([listRecord(), listRecord({ size })], skus, page([])));
    expect(beside('v100-4')).toBe('held');
    expect(beside('4 GPUs')).toBe('violated');
    const headlines = new Set(['h100-sxm-2', '4x-v100']);
    const records = [listRecord(), listRecord({ size: '8x-v100' })];
    expect(outcomeOf(sizesAreSkus(records, headlines, page([])))).toBe('held');
    const old = ['v100-1', 'v100-2', 'v100-4'].map((size) => listRecord({ size }));
    expect(outcomeOf(sizesAreSkus(old.slice(1), skus, page([])))).toBe('vacuous');
    expect(outcomeOf(sizesAreSkus(old, skus, page([])))).toBe('violated');
  });

  test.each([
    ['held', ['h100-sxm-2', 'v100', 'v100']],
    ['violated', ['2 GPUs', '4 GPUs', 'v100']],
    ['vacuous', ['2 GPUs', '2 GPUs', '2 GPUs', '4 GPUs']],
    ['held', ['h100-sxm-2']],
    ['vacuous', []],
  ] as const)('sizes against the SKU names: %s for %j', (expected, sizes) => {
    const records = sizes.map((size) => listRecord({ size }));
    expect(outcomeOf(someSizeIsSku(records, new Set(['h100-sxm-2']), page([])))).toBe(expected);
    expect(outcomeOf(someSizeIsSku(records, new Set(), page([])))).toBe('vacuous');
  });

  test.each([
    ['violated', ['h100-large', 'h100-large'], ['h100-large', 'h100-large']],
    ['held', ['h100-large', 'h100-large'], ['8 GPUs', '1 GPU']],
    ['held', ['h100-large', 'h100-large'], ['h100-large', '1 GPU']],
    ['vacuous', ['8x-H100', '1x-H100'], ['8x-H100', '1x-H100']],
    ['vacuous', ['h100-large'], ['h100-large']],
  ] as const)('%s: SKU names %j and sizes %j', (expected, skus, sizes) => {
    const sights = skus.map((size, index) => ({
      listed: listRecord({ size, gpu_type: 'H100' }),
      stop: stop({ size: sizes[index] }),
    }));
    expect(outcomeOf(sizesAreNoSkus(sights))).toBe(expected);
  });
});

describe('listed region', () => {
  const bindings = { presets: { items: 'data', fields: { region: 'region', location: 'at' } } };
  const presets = [
    { at: 'par-2', region: 'FR' },
    { at: 'dxb-1', region: 'UAE' },
    { at: 'lab-1', region: null },
    { at: 'lab-2', region: 'US' },
    { at: 'us', region: 'US' },
    { at: 'iad-1', region: 'US' },
    { at: 'iad-1' },
  ];

  test('locations that stand in a region alone', () => {
    expect([...locationsWithin(presets, ['lab-2'], bindings)]).toEqual(['par-2', 'dxb-1']);
  });

  test.each([
    [['FR', 'lab-1'], 0],
    [['FR', 'par-2'], 1],
    [['iad-1'], 0],
  ])('instances listed in %j show %i locations too many', (regions, wrong) => {
    const records = regions.map((region) => listRecord({ region }));
    const locations = locationsWithin(presets, ['lab-2'], bindings);
    expect(runsInRegions(records, locations).violations).toHaveLength(wrong);
  });

  test('nothing listed says nothing', () => {
    expect(runsInRegions([], new Set(['par-2'])).seen).toBe(0);
  });
});

describe('listed preset', () => {
  const fields = { sku: 'sku', gpu: 'gpu', cpu: 'cpu', storage: 'disk' };
  const bindings = { presets: { items: 'data', fields } };
  const presets = [
    { sku: '1x-h100', gpu: 'H100', cpu: 24, disk: 500 },
    { sku: '8x-h100', gpu: 'H100', cpu: 192, disk: 4_000 },
    { sku: '1x-a100', gpu: 'A100', cpu: 16, disk: 400 },
  ];

  test.each([
    ['held', [500, 500, 500, 500, 12.5]],
    ['violated', [500, 500, 500, 500, 500]],
    ['vacuous', [500, 500, 500, 500]],
  ])('%s: storage %j', (outcome, storage) => {
    const records = storage.map((one) => listRecord({ size: '1x-h100', storage_used_gb: one }));
    expect(outcomeOf(showsUse(records, presets, bindings))).toBe(outcome);
    expect(outcomeOf(showsUse(records, [], bindings))).toBe('vacuous');
  });

  test.each([
    ['held', { size: '8x-h100', gpu_type: 'H100', cpu_count: 192 }],
    ['violated', { size: '8x-h100', gpu_type: 'H100', cpu_count: 24 }],
    ['violated', { size: '8x-h100', gpu_type: 'A100', cpu_count: 192 }],
    // The list writes models in another way than the presets.
    ['held', { size: '8x-h100', gpu_type: 'NVIDIA H100', cpu_count: 192 }],
    ['vacuous', { size: 'withdrawn', gpu_type: 'A100', cpu_count: 1 }],
  ])('%s: %j', (outcome, change) => {
    expect(outcomeOf(fitsPreset([listRecord(change)], presets, bindings))).toBe(outcome);
  });

  test('a preset may show its model and CPUs in words', () => {
    const inWords = [{ sku: '1x-h100', gpu: '1x H100 80GB', cpu: '24 vCPU' }];
    const record = listRecord({ size: '1x-h100', gpu_type: 'H100', cpu_count: 24 });
    expect(outcomeOf(fitsPreset([record], inWords, bindings))).toBe('vacuous');
  });
});
