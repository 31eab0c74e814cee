import { describe, expect, test } from 'vitest';
import { Caller, codeOf, column, deploy, list, object, textOf } from './caller.test.support.ts';

const ids = async (caller: Caller, parameters: Record<string, string> = {}) =>
  column(await caller.walk('/instances', { size: '200', ...parameters }), 'instance_id');

describe('pages', () => {
  test('of any size give the same walk, newest first, without repeats', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const newestFirst = reference.world
      .instances('acme-primary')
      .map(({ id }) => id)
      .toReversed();
    expect(newestFirst).toHaveLength(72);
    for (const size of ['1', '7', '50', '72', '71', '199', '200']) {
      expect(await ids(caller, { size })).toEqual(newestFirst);
    }
    expect(column(await caller.walk('/instances'), 'instance_id')).toEqual(newestFirst);
  });

  test('carry the size asked for, 50 unless told, and null after the last item', async () => {
    const caller = new Caller(await deploy());
    const first = await caller.get('/instances');
    expect(first.json['data']).toHaveLength(50);
    expect(object(first.json['pagination'])).toEqual({ next: expect.any(String), size: 50 });
    const all = await caller.get('/instances', { size: '72' });
    expect(object(all.json['pagination'])).toEqual({ next: null, size: 72 });
    const more = await caller.get('/instances', { size: '200' });
    expect(object(more.json['pagination'])).toEqual({ next: null, size: 200 });
  });

  test('do not shift while instances are created', async () => {
    const caller = new Caller(await deploy());
    const before = await ids(caller);
    const first = await caller.get('/instances', { size: '10' });
    await caller.make();
    const { next } = object(first.json['pagination']);
    const second = await caller.get('/instances', { size: '10', cursor: textOf(next) });
    expect(column(list(second.json['data']), 'instance_id')).toEqual(before.slice(10, 20));
  });

  test('refuse cursors that were not given to this account for this list', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const { json } = await caller.get('/instances', { size: '5' });
    const cursor = textOf(object(json['pagination'])['next']);
    const presets = await caller.get('/presets');
    const refused = [
      await new Caller(reference, 'second').get('/instances', { cursor }),
      await caller.get('/presets', { cursor }),
      await caller.get('/instances', {
        cursor: textOf(object(presets.json['pagination'])['next']),
      }),
      await caller.get('/instances', { cursor: `${cursor}x` }),
      await caller.get('/instances', { cursor: 'garbage' }),
      await caller.get('/instances', { cursor: '{}.' }),
    ];
    expect(refused.map((answer) => [answer.status, codeOf(answer)])).toEqual(
      refused.map(() => [400, 'VALIDATION_ERROR']),
    );
  });
});

describe('parameters', () => {
  const long = 'a'.repeat(256);
  test.for([
    ...[
      '0',
      '-1',
      '201',
      '1.5',
      'abc',
      '2147483648',
      '9223372036854775808',
      '1e1',
      'NaN',
      ' 5',
    ].map((size) => ({ size })),
    { status: 'RUNNING' },
    { status: 'stopping' },
    { status: 'nonsense' },
    { date_range_begin: 'yesterday' },
    { date_range_end: '2026-13-01T00:00:00Z' },
    { date_range_end: '2026-02-30T00:00:00Z' },
    { date_range_end: '2026-01-01T24:00:01Z' },
    { date_range_begin: '2026-01-01T00:00:00+99:00' },
    { date_range_begin: '1767225600' },
    { free_text_search: long },
    { sort_field: 'PRICE' },
    { sort_field: 'name' },
    { sort_field: 'NAME', sort_direction: 'UP' },
    { sort_direction: 'UP' },
  ])('that are not what they may be are refused: %o', async (parameters) => {
    const caller = new Caller(await deploy({ instances: 3 }));
    const answer = await caller.get('/instances', parameters);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test.for([
    { size: '1' },
    { size: '200' },
    { free_text_search: long.slice(1) },
    { free_text_search: '🚀'.repeat(255) },
    { date_range_begin: '2026-01-01T00:00:00Z' },
    { date_range_begin: '2026-01-01T00:00:00.123456789+02:00' },
    { date_range_end: '20260101T000000Z' },
    { region: 'Atlantis' },
    { region: 'fr' },
    { gpu_type: '%00"\'' },
    { sort_direction: 'ASC' },
    { surprise: 'yes' },
  ])('that may be are accepted: %o', async (parameters) => {
    const caller = new Caller(await deploy({ instances: 3 }));
    expect((await caller.get('/instances', parameters)).status).toBe(200);
  });

  test('with broken escapes are refused', async () => {
    const caller = new Caller(await deploy({ instances: 3 }));
    expect((await caller.send('GET', '/instances?free_text_search=%ZZ')).status).toBe(400);
    expect((await caller.send('GET', '/instances?free_text_search=%FF')).status).toBe(400);
  });
});

describe('filters', () => {
  test('are what the full list says, also over several pages', async () => {
    const caller = new Caller(await deploy());
    const all = await caller.walk('/instances');
    const expectPart = async (
      parameters: Record<string, string>,
      member: string,
      value: string,
    ): Promise<void> => {
      const wanted = all.filter((item) => item[member] === value);
      expect(wanted.length).toBeGreaterThan(1);
      const found = await ids(caller, { ...parameters, size: '3' });
      expect(found).toEqual(column(wanted, 'instance_id'));
    };
    for (const status of ['running', 'stopped', 'terminated', 'errored']) {
      await expectPart({ status }, 'status', status.toUpperCase());
    }
    for (const region of ['UAE', 'FR', 'US']) await expectPart({ region }, 'region', region);
    for (const gpu of new Set(column(all, 'gpu_type'))) {
      await expectPart({ gpu_type: textOf(gpu) }, 'gpu_type', textOf(gpu));
    }
  });

  test('together give what each of them gives', async () => {
    const caller = new Caller(await deploy());
    const all = await caller.walk('/instances');
    const wanted = all.filter((item) => item['status'] === 'RUNNING' && item['region'] === 'FR');
    expect(wanted.length).toBeGreaterThan(1);
    expect(await ids(caller, { status: 'running', region: 'FR', size: '1' })).toEqual(
      column(wanted, 'instance_id'),
    );
  });

  test('by an unknown region, a location or an unknown model are empty', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const location = reference.world.instances('acme-primary')[0]?.preset.location ?? '';
    for (const parameters of [{ region: 'MARS' }, { region: location }, { gpu_type: 'abacus' }]) {
      expect(await ids(caller, parameters)).toEqual([]);
    }
  });

  test('by free text find every full name, region and model, and nothing that is in none', async () => {
    const caller = new Caller(await deploy());
    const all = await caller.walk('/instances');
    for (const item of all) {
      for (const member of ['name', 'region', 'gpu_type']) {
        const found = await ids(caller, { free_text_search: textOf(item[member]) });
        expect(found).toContain(item['instance_id']);
      }
    }
    expect(await ids(caller, { free_text_search: 'xyzzy' })).toEqual([]);
    expect(await ids(caller, { free_text_search: 'dubai' })).toEqual([]);
  });

  test('by date cut the list at any instant, both bounds inclusive', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const all = await ids(caller);
    const created = reference.world.instances('acme-primary').map(({ createdAt }) => createdAt);
    const shared = created.find((instant, index) => created[index + 1] === instant) ?? 0;
    expect(shared).toBeGreaterThan(0);
    for (const [instant, fraction] of [
      [shared, ''],
      [shared, '.0005'],
      [shared - 1000, '.9995'],
      [created[40] ?? 0, ''],
    ] as const) {
      const text = `${new Date(instant).toISOString().slice(0, 19)}${fraction}Z`;
      const at = instant + Number(`0${fraction}`) * 1000;
      const since = created.filter((moment) => moment >= at).length;
      const until = created.filter((moment) => moment <= at).length;
      expect(await ids(caller, { date_range_begin: text, size: '9' })).toEqual(all.slice(0, since));
      expect(await ids(caller, { date_range_end: text, size: '9' })).toEqual(
        all.slice(all.length - until),
      );
      const both = { date_range_begin: text, date_range_end: text };
      expect(await ids(caller, both)).toHaveLength(since + until - all.length);
    }
  });

  test('by one instant in different offsets are the same', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const instant = reference.world.instances('acme-primary')[30]?.createdAt ?? 0;
    const text = (shift: number) =>
      new Date(instant + shift * 3_600_000).toISOString().slice(0, 19);
    const utc = await ids(caller, { date_range_begin: `${text(0)}Z` });
    expect(utc).toHaveLength(72 - 30);
    expect(await ids(caller, { date_range_begin: `${text(2)}+02:00` })).toEqual(utc);
    expect(await ids(caller, { date_range_begin: `${text(-5.5)}-05:30` })).toEqual(utc);
  });
});

test('a big account is listed, sorted and dated without loss', { timeout: 30_000 }, async () => {
  const caller = new Caller(await deploy({ instances: 10_000 }));
  for (const parameters of [{}, { sort_field: 'NAME' }]) {
    expect(new Set(await ids(caller, parameters)).size).toBe(10_000);
  }
});
