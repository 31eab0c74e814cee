import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { startCompute } from '../reference/compute/start.ts';
import { portOf } from '../exchange/listening.test.support.ts';
import { linesOf, marked, words } from './checkup.test.support.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000001';
const ELSEWHERE = '00000000-0000-4000-8000-000000000002';

const reference = await startCompute();
afterAll(async () => reference.close());

describe('a compute target file', () => {
  test('that fits: everything that a read can tell is tried', async () => {
    const lines = await linesOf(reference.target());
    expect(marked(lines, 'wrong')).toEqual([]);
    const acting = words('bindings.start bindings.terminate instances.provision');
    expect(marked(lines, 'untried').toSorted()).toEqual(acting);
    const read = words(`
      keys.primary keys.second keys.empty keys.forbidden
      bindings.getInstance.record bindings.regions.codes
      bindings.presets.items bindings.presets.fields.price bindings.presets.filters.sku`);
    expect(marked(lines, 'fits')).toEqual(expect.arrayContaining([...read]));
  });

  test('nothing but reads leaves', async () => {
    const seen = new Set<string>();
    const server = createServer((request, response) => {
      seen.add(request.method ?? '');
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[]}');
    });
    const baseUrl = `http://127.0.0.1:${await portOf(server)}/v1`;
    await linesOf({ ...reference.target(), baseUrl });
    expect([...seen]).toEqual(['GET']);
  });

  test('with keys in the wrong places', async () => {
    const file = reference.target();
    const { primary, second, empty } = file.keys;
    const lines = await linesOf({
      ...file,
      keys: { primary, second: empty, empty: second, forbidden: 'nobody-has-this-key' },
    });
    expect(marked(lines, 'wrong')).toEqual(['keys.empty', 'keys.forbidden']);
    expect(lines.get('keys.empty')).toMatchObject({ blame: 'file' });
    expect(lines.get('keys.forbidden')).toMatchObject({ blame: 'access' });
    const open = await linesOf({ ...file, keys: { primary, forbidden: second } });
    expect(open.get('keys.forbidden')).toMatchObject({ mark: 'untried' });
  });

  test('with a key that nobody knows: nothing else is tried with it', async () => {
    const file = reference.target();
    const lines = await linesOf({ ...file, keys: { primary: 'nobody-has-this-key' } });
    expect([...lines.keys()]).toEqual(['keys.primary']);
    expect(lines.get('keys.primary')).toMatchObject({ mark: 'wrong', blame: 'access' });
  });

  test('with bindings that find nothing', async () => {
    const file = reference.target();
    const lines = await linesOf({
      ...file,
      bindings: {
        getInstance: { record: '$.nothing' },
        regions: { codes: '$.nothing[*]' },
        presets: {
          items: 'data',
          filters: { sku: 'unknown' },
          fields: { id: 'id', price: 'nothing' },
        },
      },
    });
    const wrong = words(`
      bindings.getInstance.record bindings.regions.codes
      bindings.presets.fields.price bindings.presets.filters.sku`);
    expect(marked(lines, 'wrong')).toEqual(wrong);
    expect(lines.get('bindings.presets.fields.id')).toMatchObject({ mark: 'fits' });
    const without = await linesOf({ ...file, bindings: { presets: { items: 'nothing' } } });
    expect(marked(without, 'wrong')).toEqual(['bindings.presets.items']);
  });

  test('with instances in another state, or of nobody', async () => {
    const file = reference.target();
    const [stopped = ''] = file.instances.stopped ?? [];
    const [terminated = ''] = file.instances.terminated ?? [];
    const lines = await linesOf({
      ...file,
      instances: { stopped: [terminated, NOWHERE], terminated: [stopped], provision: [ELSEWHERE] },
    });
    expect(marked(lines, 'wrong')).toEqual([
      `instances.stopped: ${terminated}`,
      `instances.stopped: ${NOWHERE}`,
      `instances.terminated: ${stopped}`,
      `instances.provision: ${ELSEWHERE}`,
    ]);
  });
});

test.for([
  ['./no-such-command.sh', 'wrong'],
  ['true', 'untried'],
] as const)('%s as the command that makes instances is %s', async ([command, mark]) => {
  const lines = await linesOf({ ...reference.target(), instances: { provision: { command } } });
  expect(lines.get('instances.provision')).toMatchObject({ mark });
});

test('a host that nobody is at', async () => {
  const keys = { primary: 'some-key' };
  const lines = await linesOf({ contract: 'compute', baseUrl: 'http://127.0.0.1:1/v1', keys });
  expect(lines.get('keys.primary')).toMatchObject({ mark: 'wrong', blame: 'access' });
});
