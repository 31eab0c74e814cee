import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTarget, parseTarget } from './load.ts';
import { TargetFileError } from './problem.ts';
import { computeFile, routerFile } from './refusal.test.support.ts';

const environment = { KEY: 'hidden-key-1', OTHER: 'hidden-key-2', THIRD: 'hidden-key-3' };
const parse = (text: string, file = 'my.yaml') => parseTarget(text, file, environment);

describe('a compute target file', () => {
  it('needs a contract, a base URL and one key, and gets the defaults', () => {
    const { target } = parse(computeFile());
    expect(target).toEqual({
      name: 'a.test',
      contract: 'compute',
      baseUrl: 'https://a.test/v1',
      keys: { primary: 'primary' },
      consent: { stop: false, terminate: false, exhaustRateLimit: false, saturate: false },
      budget: { requests: 20_000, minutes: 20, concurrency: 8, requestsPerSecond: 50 },
    });
  });

  it('keeps everything that it may say', () => {
    const file = computeFile(
      'name: staging',
      'bindings:',
      '  terminate: POST /instances/{id}/terminate',
      '  start: POST /instances/{id}/start',
      '  getInstance: { record: $ }',
      '  regions: { codes: "$[*].name" }',
      '  presets: { items: data, filters: { sku: sku, freeText: q }, fields: { price: $.rate } }',
      '  locations: { unmapped: [ lab-1 ] }',
      'instances: { provision: { command: ./make.sh --key ${KEY} } }',
      'consent: { stop: true }',
      'budget: { minutes: 1.5, requestsPerSecond: unlimited }',
    );
    const { target } = parse(file);
    expect(target).toMatchObject({
      name: 'staging',
      bindings: {
        terminate: 'POST /instances/{id}/terminate',
        start: 'POST /instances/{id}/start',
        getInstance: { record: '$' },
        regions: { codes: '$[*].name' },
        presets: {
          items: 'data',
          filters: { sku: 'sku', freeText: 'q' },
          fields: { price: '$.rate' },
        },
        locations: { unmapped: ['lab-1'] },
      },
      instances: { provision: { command: './make.sh --key hidden-key-1' } },
      consent: { stop: true, terminate: false },
      budget: { minutes: 1.5, requestsPerSecond: Infinity },
    });
  });

  it('may name a path with an id inside braces, as the needs are printed', () => {
    const { target } = parse(
      computeFile('bindings: { terminate: POST /instances/{id}/terminate, start: POST /s/{id} }'),
    );
    expect(target).toMatchObject({
      bindings: { terminate: 'POST /instances/{id}/terminate', start: 'POST /s/{id}' },
    });
  });
});

describe('a router target file', () => {
  it('keeps keys with their parts, and names where secrets stood', () => {
    const { target, keys } = parse(
      [
        'contract: router',
        'baseUrl: https://a.test:8443/',
        'keys:',
        '  client: ${KEY}',
        '  unlimited: ${KEY}',
        '  allowlisted: { key: ${OTHER}, allows: a, denies: b }',
        '  tokensPerDay: [ { key: ${THIRD}, limit: 2000 } ]',
        'models: { hidden: { id: c, from: allowlisted } }',
        'backend: { listen: [ 127.0.0.1:9100, "[::1]:9101" ] }',
        'limits: { maxRequestBytes: 0 }',
      ].join('\n'),
    );
    expect(target).toMatchObject({
      name: 'a.test:8443',
      baseUrl: 'https://a.test:8443',
      keys: {
        client: 'client',
        unlimited: 'unlimited',
        allowlisted: { key: 'allowlisted', allows: 'a', denies: 'b' },
        tokensPerDay: [{ key: 'tokensPerDay[0]', limit: 2000 }],
      },
      backend: { listen: ['127.0.0.1:9100', '[::1]:9101'] },
      limits: { maxRequestBytes: 0 },
    });
    expect([...keys].map(([name, secret]) => [name, secret.reveal()])).toEqual([
      ['client', 'hidden-key-1'],
      ['unlimited', 'hidden-key-1'],
      ['allowlisted', 'hidden-key-2'],
      ['tokensPerDay[0]', 'hidden-key-3'],
    ]);
  });

  it('needs one key, whichever', () => {
    const file = routerFile().replace('client', 'admin');
    expect(parse(file).target).toMatchObject({ keys: { admin: 'admin' } });
  });
});

describe('a target on loopback', () => {
  it.each(['127.0.0.1:80', '127.9.9.9', '[::1]:80', 'localhost:80'])(
    'at %s may have keys written out, is named by its file and is not paced',
    (host) => {
      const file = `contract: compute\nbaseUrl: http://${host}/v1/\nkeys: { primary: in-clear }\n`;
      const { target, keys } = parse(file, 'some/where/mine.yaml');
      expect(target).toMatchObject({ name: 'mine', budget: { requestsPerSecond: Infinity } });
      expect(target.baseUrl).toMatch(/\/v1$/u);
      expect(keys.get('primary')?.reveal()).toBe('in-clear');
    },
  );

  it.each(['127.0.0.1.a.test', 'localhost.a.test', '128.0.0.1', '[::2]'])(
    'is not at %s',
    (host) => {
      const file = `contract: compute\nbaseUrl: http://${host}/v1\nkeys: { primary: in-clear }\n`;
      expect(() => parse(file)).toThrow('must not be written out');
    },
  );
});

describe('secrets', () => {
  it('are in nothing that prints or stores a loaded target', () => {
    const loaded = parse(computeFile());
    const printed = [
      JSON.stringify({ ...loaded, keys: [...loaded.keys] }),
      inspect(loaded, { depth: 9, showHidden: true }),
      [...loaded.keys.values()].map(String).join(),
    ].join('\n');
    expect(printed).toContain('‹key:primary›');
    expect(printed).not.toContain('hidden-key');
  });

  it('are taken as they are: a variable in a value is not read again', () => {
    const { keys } = parseTarget(computeFile(), 'my.yaml', { KEY: '${OTHER}', OTHER: 'no' });
    expect(keys.get('primary')?.reveal()).toBe('${OTHER}');
  });
});

describe('the file on disk', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'target-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('is read, and its folder kept for commands', async () => {
    const file = path.join(folder, 'good.yaml');
    await writeFile(file, computeFile());
    expect(await loadTarget(file, environment)).toMatchObject({
      file,
      folder,
      target: { name: 'a.test' },
    });
  });

  it('may start with a byte order mark and end its lines with CR LF', async () => {
    const file = path.join(folder, 'windows.yaml');
    await writeFile(file, `\uFEFF${computeFile().replaceAll('\n', '\r\n')}\r\n`);
    expect((await loadTarget(file, environment)).target.baseUrl).toBe('https://a.test/v1');
  });

  it('must exist', async () => {
    await expect(loadTarget('no/such.yaml')).rejects.toThrow(
      new TargetFileError('no/such.yaml', {
        line: undefined,
        column: undefined,
        key: '',
        problem: 'there is no such file',
        hint: 'Name a target file; plumbline init writes one.',
        excerpt: undefined,
      }),
    );
  });

  it('must be no folder', async () => {
    await expect(loadTarget(folder)).rejects.toThrow(': this is a folder\n');
  });

  it('must be text', async () => {
    const file = path.join(folder, 'binary.yaml');
    await writeFile(file, Uint8Array.of(0x6e, 0xff, 0xfe));
    await expect(loadTarget(file)).rejects.toThrow(': not a text file in UTF-8\n');
  });

  it('tells its mistake also in fields', () => {
    let caught: unknown;
    try {
      parse(computeFile('consent:', '  stopp: true', 'name: 7'));
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({
      file: 'my.yaml',
      line: 5,
      column: 3,
      key: 'consent.stopp',
      problem: 'unknown key',
      hint: 'Did you mean stop?',
      problems: [{ key: 'consent.stopp' }, { key: 'name', line: 6 }],
    });
  });
});
