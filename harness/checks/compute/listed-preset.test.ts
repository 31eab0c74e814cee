import { expect, test } from 'vitest';
import { listRecord } from './exchange.test.support.ts';
import { fitsPreset, showsUse } from './variants.ts';
import { outcomeOf } from './verdicts.test.support.ts';

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
