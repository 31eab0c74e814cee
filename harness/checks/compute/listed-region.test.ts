import { expect, test } from 'vitest';
import { listRecord } from './exchange.test.support.ts';
import { locationsWithin, runsInRegions } from './variants.ts';

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
