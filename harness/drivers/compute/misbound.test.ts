import { afterAll, expect, test } from 'vitest';
import { type ComputeBindings, isComputeTarget } from '../../../schemas/compute/target.ts';
import { computeFaults } from '../../reference/compute/faults/index.ts';
import { type ComputeOptions, startCompute } from '../../reference/compute/start.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { connectForReading } from '../../contracts/preflight.ts';
import { ComputeApi } from './api.ts';
import { fittingBindings, misboundPresets, withMisbound } from './misbound.ts';

const reference = await startCompute();
afterAll(async () => reference.close());

type Presets = NonNullable<ComputeBindings['presets']>;

async function misbound(change: (presets: Presets) => Presets, of = reference) {
  const planned = parseTarget(JSON.stringify(of.target()), 'target.yaml');
  const { target } = planned;
  if (!isComputeTarget(target)) throw new Error('no compute target');
  const bindings = { ...target.bindings, presets: change(target.bindings?.presets ?? {}) };
  const connection = connectForReading(planned);
  try {
    const api = new ComputeApi(connection.httpClient, () => {}, bindings);
    const found = await misboundPresets(api, bindings);
    return { found, fitting: fittingBindings(bindings, found).presets };
  } finally {
    await connection.close();
  }
}

test('bindings that fit stay as they are', async () => {
  const { found, fitting } = await misbound((presets) => presets);
  expect(found.size).toBe(0);
  expect(fitting).toEqual(reference.target().bindings?.presets);
});

test('a field that no preset has is missing, and the reader is told what there is', async () => {
  const { found, fitting } = await misbound((presets) => ({
    ...presets,
    fields: { ...presets.fields, price: 'no_such_price' },
  }));
  expect([...found.keys()]).toEqual(['bindings.presets.fields.price']);
  const [need = ''] = found.keys();
  const missing = withMisbound({ need, purpose: 'a price', line: 'price: …' }, found);
  expect(missing.purpose).toMatch(
    /^a price: no preset has no_such_price, .*; the first has \w+, /u,
  );
  expect(missing.line).toBe('');
  expect(fitting?.fields).not.toHaveProperty('price');
  expect(fitting?.fields).toHaveProperty('sku');
});

/** What is found misbound in a deployment with other rules. */
async function misboundIn(patch: NonNullable<ComputeOptions['patch']>) {
  const of = await startCompute({ patch });
  try {
    return await misbound((presets) => presets, of);
  } finally {
    await of.close();
  }
}

test('a field that ends above the value is missing, also where some presets have none', async () => {
  const { found, fitting } = await misboundIn((rules) => ({
    ...rules,
    presetRecord: (preset, context, query) => ({
      ...rules.presetRecord(preset, context, query),
      region: preset.region === undefined ? null : [preset.region],
    }),
  }));
  expect([...found.keys()]).toEqual(['bindings.presets.fields.region']);
  expect(fitting?.fields).not.toHaveProperty('region');
});

test('a field that some presets lack is not', async () => {
  const { found } = await misboundIn((rules) => ({
    ...rules,
    presetRecord: (preset, context, query) => {
      const record = rules.presetRecord(preset, context, query);
      const { price } = context.choices.presets.fields;
      return preset.region === 'FR' ? record : { ...record, [price]: undefined };
    },
  }));
  expect(found.size).toBe(0);
});

test('a list that is not in the body is missing, and so are its fields', async () => {
  const { found, fitting } = await misbound((presets) => ({ ...presets, items: 'no_such_list' }));
  expect([...found.keys()]).toEqual(['bindings.presets.items']);
  expect([...found.values()][0]).toMatch(/it has .*pagination/u);
  expect(Object.keys(fitting ?? {})).toEqual(['filters']);
});

test('presets that cannot be read say nothing', async () => {
  const fault = computeFaults.find(({ name }) => name === 'presets-are-null-when-none-match');
  const { found } = await misboundIn((rules) => ({
    ...(fault?.patch(rules) ?? rules),
    selectPresets: () => ({ items: [], end: undefined }),
  }));
  expect(found.size).toBe(0);
});
