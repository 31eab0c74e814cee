import { describe, expect, test } from 'vitest';
import {
  Caller,
  ascendingOrder,
  codeOf,
  column,
  deploy,
  list,
  object,
  textOf,
} from '../caller.test.support.ts';
import { computeVariants } from './index.ts';

/** What these do otherwise is what the walk below takes for granted. */
const apart: Readonly<Record<string, string>> = {
  'busy-account': 'two walks of a list that others change need not agree',
  'counting-cursors-on-a-busy-account': 'the same',
  'slow-and-busy': 'the same',
  'terminated-vanish': 'a terminated instance cannot be read',
  'statuses-of-its-own': 'a terminated instance cannot be read',
  'long-names': 'names are longer than a search may be',
  'rate-limited': 'a walk in haste meets the limit',
  'rate-limited-by-the-window': 'the same',
  'ties-in-any-order': 'two walks need not agree on the order of what was created together',
  'one-key': 'there are no other keys',
  'behind-a-web-server': 'presets are not 200 here',
  'starts-lack-hosts': 'a start is to be accepted at once here',
  'ids-in-upper-case': 'ids are told from each other by their case here',
};
const plain = computeVariants.filter(({ name }) => !(name in apart));

test('each variant that is tested apart exists', () => {
  const names = computeVariants.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(apart)));
});

describe.for(plain)('$name', ({ options }) => {
  test('walks, filters, stops, starts and terminates as its target file says', async () => {
    const reference = await deploy(options());
    const { bindings, instances, keys } = reference.target();
    expect(Object.keys(keys)).toEqual(['primary', 'second', 'empty', 'forbidden']);
    const caller = new Caller(reference);

    const all = column(await caller.walk('/instances', { size: '18' }), 'instance_id');
    expect(all).toHaveLength(
      reference.world
        .instances('acme-primary')
        .filter(
          ({ state }) =>
            state !== 'TERMINATED' || reference.deployment.choices.terminatedListed === 'always',
        ).length,
    );
    for (const size of ['31', '200']) {
      expect(column(await caller.walk('/instances', { size }), 'instance_id')).toEqual(all);
    }
    const stoppedIds = instances.stopped ?? [];
    for (const stoppedId of stoppedIds) {
      const name = reference.world.instance(stoppedId)?.name ?? '';
      // Where a search looks for words alone, signs find nothing.
      if (!/[\p{L}\p{N}]/u.test(name)) continue;
      const named = await caller.walk('/instances', { free_text_search: name, sort_field: 'NAME' });
      expect(column(named, 'instance_id')).toContain(stoppedId);
    }
    const sorted = await caller.walk('/instances', { sort_field: 'STATUS', size: '23' });
    expect(column(sorted, 'instance_id').toSorted(ascendingOrder)).toEqual(
      all.toSorted(ascendingOrder),
    );

    const { items, filters } = bindings.presets;
    const { fields } = reference.deployment.choices.presets;
    const catalogue = await caller.walk('/presets', { size: '9' }, items);
    expect(catalogue).toHaveLength(reference.world.presets.length);
    const byId = await caller.walk('/presets', { sort_field: 'ID', size: '8' }, items);
    expect(column(byId, fields.id)).toEqual(column(catalogue, fields.id).toSorted(ascendingOrder));
    const sku = textOf(catalogue[0]?.[fields.sku]);
    const ofSku = await caller.walk('/presets', { [filters.sku]: sku }, items);
    expect(new Set(column(ofSku, fields.sku))).toEqual(new Set([sku]));
    expect(await caller.walk('/presets', { [filters.freeText]: 'xyzzy' }, items)).toEqual([]);

    const refused = await caller.get('/instances', { size: '0' });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'VALIDATION_ERROR']);

    const id = await caller.make();
    const record = async () => {
      const { json } = await caller.get(`/instances/${id}`);
      return bindings.getInstance.record === '$' ? json : object(json['instance']);
    };
    const until = async (status: string) => {
      while ((await record())['status'] !== status);
    };
    const act = (binding: string, body?: string) => {
      const [method = '', path = ''] = binding.split(' ');
      return caller.send(method, path.replace('{id}', id), body);
    };
    await until('RUNNING');
    const stopped = await act('POST /instances/{id}/stop', '{"reason_note":"a"}');
    expect(stopped.status).toBe(reference.deployment.choices.stopStatus);
    expect(stopped.json).toMatchObject({ instance_id: id });
    await until('STOPPED');
    const started = bindings.start === undefined ? undefined : await act(bindings.start);
    expect([undefined, 202, 204, 409]).toContain(started?.status);
    if (started !== undefined && started.status !== 409) await until('RUNNING');
    expect((await act(bindings.terminate)).json).toMatchObject({ instance_id: id });
    await until('TERMINATED');
    expect((await act(bindings.terminate)).status).toBe(409);
  });
});

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
  const second = await caller.get('/instances', { size: '72', cursor });
  expect([list(second.json['data']), object(second.json['pagination'])['next']]).toEqual([
    [],
    null,
  ]);
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

test.for(['rate-limited', 'rate-limited-by-the-window'])(
  '%s: a key that goes on meets the limit',
  async (name) => {
    const caller = new Caller(await deploy(optionsOf(name)));
    const askAtOnce = () =>
      Promise.all(Array.from({ length: 400 }, async () => caller.get('/regions')));
    const answer = (await askAtOnce()).find(({ status }) => status !== 200);
    expect([answer?.status, answer?.headers.get('retry-after')]).toEqual([429, '1']);
  },
);

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
  const [id = ''] = column(await caller.walk('/instances', { size: '9' }), 'instance_id').map(
    textOf,
  );
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
