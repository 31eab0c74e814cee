import { expect, test } from 'vitest';
import { Caller, column, deploy, list, object, textOf } from '../caller.test.support.ts';
import { computeVariants } from './index.ts';

test('a deployment that keeps terminated instances out of sight shows them on request', async () => {
  const caller = new Caller(await deploy({ choices: { terminatedListed: 'when-asked' } }));
  expect(column(await caller.walk('/instances'), 'status')).not.toContain('TERMINATED');
  const asked = column(await caller.walk('/instances', { status: 'terminated' }), 'status');
  expect(new Set(asked)).toEqual(new Set(['TERMINATED']));
});

test('an empty page may follow a full last one', async () => {
  const caller = new Caller(await deploy({ choices: { emptyLastPage: true } }));
  const first = await caller.get('/instances', { size: '72' });
  const cursor = textOf(object(first.json['pagination'])['next']);
  const { json } = await caller.get('/instances', { size: '72', cursor });
  expect([list(json['data']), object(json['pagination'])['next']]).toEqual([[], null]);
});

test('names of variants are slugs, each once', () => {
  const names = computeVariants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u);
  expect(names.length).toBeGreaterThanOrEqual(20);
});

test('nullable fields may be left out', async () => {
  const caller = new Caller(await deploy({ choices: { nulls: 'absent' } }));
  const all = await caller.walk('/instances', { status: 'running' });
  expect(all.every((record) => !('terminated_at' in record) && 'started_at' in record)).toBe(true);
});

const optionsOf = (wanted: string) =>
  computeVariants.find(({ name }) => name === wanted)?.options() ?? {};

test('one key is all that a deployment needs', async () => {
  const reference = await deploy(optionsOf('one-key'));
  expect(Object.keys(reference.target().keys)).toEqual(['primary']);
  expect(await new Caller(reference).walk('/instances')).not.toHaveLength(0);
});

test('a read-only policy keeps the forbidden key from acting alone', async () => {
  const reference = await deploy(optionsOf('read-only-policy'));
  const caller = new Caller(reference, 'forbidden');
  const [id = ''] = reference.target().instances.stopped ?? [];
  expect((await caller.get('/instances')).status).toBe(200);
  expect((await caller.post(`/instances/${id}/stop`)).status).toBe(403);
});

test('ids in upper case name the same instances', async () => {
  const reference = await deploy(optionsOf('ids-in-upper-case'));
  const caller = new Caller(reference);
  const ids = column(await caller.walk('/instances', { size: '9' }), 'instance_id');
  const id = textOf(ids[0]);
  expect(id).toBe(id.toUpperCase());
  expect((await caller.get(`/instances/${id}`)).status).toBe(200);
});

test('what is terminated can vanish', async () => {
  const reference = await deploy(optionsOf('terminated-vanish'));
  const [id = ''] = reference.target().instances.terminated ?? [];
  expect((await new Caller(reference).get(`/instances/${id}`)).status).toBe(404);
});

test('cursors that count repeat what is pushed on', async () => {
  const { patch } = optionsOf('counting-cursors-on-a-busy-account');
  const caller = new Caller(await deploy(patch === undefined ? {} : { patch }));
  const first = await caller.get('/instances', { size: '3' });
  await caller.make();
  const cursor = textOf(object(first.json['pagination'])['next']);
  const second = await caller.get('/instances', { size: '3', cursor });
  const idsOf = (page: typeof first) =>
    list(page.json['data']).map((one) => object(one)['instance_id']);
  expect(idsOf(second)[0]).toBe(idsOf(first)[2]);
});
