/** Reading of target files, and the messages about mistakes in them. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TargetFileError } from '../target/problem.ts';
import { loadTarget, parseTarget } from './target-file.ts';

const environment = {
  KEY: 'hidden-key-1',
  OTHER: 'hidden-key-2',
  THIRD: 'hidden-key-3',
  HOST: 'a.test',
  EMPTY: '',
  BROKEN: 'hidden-key-4\n',
  SPACED: 'hidden key 5',
};
const parse = (text: string, file = 'my.yaml') => parseTarget(text, file, environment);

const of = {
  compute: 'contract: compute\nbaseUrl: https://a.test/v1\n',
  router: 'contract: router\nbaseUrl: https://a.test\n',
};
/** The smallest target file of each contract, with further lines. */
const compute = (lines = ''): string => `${of.compute}keys: { primary: \${KEY} }\n${lines}`;
const router = (lines = ''): string => `${of.router}keys: { client: \${KEY} }\n${lines}`;

describe('a compute target file', () => {
  it('needs a contract, a base URL and one key, and gets the defaults', () => {
    expect(parse(compute()).target).toEqual({
      name: 'a.test',
      contract: 'compute',
      traceparent: true,
      baseUrl: 'https://a.test/v1',
      keys: { primary: 'primary' },
      consent: { stop: false, terminate: false, exhaustRateLimit: false, saturate: false },
      budget: { requests: 20_000, minutes: 20, concurrency: 8, requestsPerSecond: 50 },
    });
  });

  it('keeps everything that it may say', () => {
    const { target } = parse(
      compute(`name: staging
bindings:
  terminate: POST /instances/{id}/terminate
  start: POST /instances/{id}/start
  getInstance: { record: $ }
  regions: { codes: "$[*].name" }
  presets: { items: data, filters: { sku: sku, freeText: q }, fields: { price: $.rate } }
  locations: { unmapped: [ lab-1 ] }
instances: { provision: { command: ./make.sh --key \${KEY} } }
consent: { stop: true }
budget: { minutes: 1.5, requestsPerSecond: unlimited }`),
    );
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
});

describe('a router target file', () => {
  it('keeps keys with their parts, and names where secrets stood', () => {
    const { target, secrets } = parse(`contract: router
baseUrl: https://a.test:8443/
keys:
  client: \${KEY}
  unlimited: \${KEY}
  allowlisted: { key: \${OTHER}, allows: a, denies: b }
  tokensPerDay: [ { key: \${THIRD}, limit: 2000 } ]
models: { hidden: { id: c, from: allowlisted } }
backend: { listen: [ 127.0.0.1:9100, "[::1]:9101" ] }
limits: { maxRequestBytes: 0 }`);
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
    expect(secrets).toEqual({
      client: 'hidden-key-1',
      unlimited: 'hidden-key-1',
      allowlisted: 'hidden-key-2',
      'tokensPerDay[0]': 'hidden-key-3',
    });
  });

  it.each([
    'models: { chat: a, pair: a, embedding: a, calm: a }',
    'models: { singleSlot: { id: a, capacity: 1 }, hidden: { id: a, from: client } }',
  ])('may give one model roles that go together: %s', (models) => {
    expect(parse(router(models)).target).toHaveProperty('models');
  });
});

describe('a target on loopback', () => {
  it.each(['127.0.0.1:80', '127.9.9.9', '[::1]:80', 'localhost:80'])(
    'at %s may have keys written out, is named by its file and is not paced',
    (host) => {
      const file = `contract: compute\nbaseUrl: http://${host}/v1/\nkeys: { primary: in-clear }\n`;
      const { target, secrets } = parse(file, 'some/where/mine.yaml');
      expect(target).toMatchObject({ name: 'mine', budget: { requestsPerSecond: Infinity } });
      expect(target.baseUrl).toMatch(/\/v1$/u);
      expect(secrets).toEqual({ primary: 'in-clear' });
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

it('a variable in the value of a variable is not read again', () => {
  const { secrets } = parseTarget(compute(), 'my.yaml', { KEY: '${OTHER}', OTHER: 'no' });
  expect(secrets).toEqual({ primary: '${OTHER}' });
});

const folder = mkdtempSync(path.join(tmpdir(), 'target-'));

describe('the file on disk', () => {
  it('is read with a byte order mark and CR LF, and its folder kept for commands', async () => {
    const file = path.join(folder, 'windows.yaml');
    writeFileSync(file, `\uFEFF${compute().replaceAll('\n', '\r\n')}\r\n`);
    const target = { name: 'a.test', baseUrl: 'https://a.test/v1' };
    expect(await loadTarget(file, environment)).toMatchObject({ folder, target });
  });

  it('must be there, no folder, and text', async () => {
    const file = path.join(folder, 'binary.yaml');
    writeFileSync(file, Uint8Array.of(0x6e, 0xff, 0xfe));
    const help = 'there is no such file\n  Name a target file; plumbline init writes one.';
    await expect(loadTarget('no/such.yaml')).rejects.toThrow(`no/such.yaml: ${help}`);
    await expect(loadTarget(folder)).rejects.toThrow(': this is a folder\n');
    await expect(loadTarget(file)).rejects.toThrow(': it is not a text in UTF-8\n');
  });
});

/** The error for a file; fails if the file is accepted or the error shows a secret. */
function refusal(text: string): TargetFileError {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof TargetFileError)) throw error;
    const everything = JSON.stringify([Object.entries(error), error.message, error.stack]);
    const shown = /hunter|hidden.key|1234567890abcdef|123456789/u.exec(everything);
    if (shown) throw new Error(`the message shows a secret: ${error.message}`, { cause: error });
    return error;
  }
  throw new Error('the file was accepted');
}

/** Files with one mistake each, and the expected message: the place, the line if part of it is hidden, a special hint. */
const mistakes = readFileSync(new URL('target-file.mistakes.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split(/(?<=\n> .*)\n(?!> )/u)
  .map((block) => {
    const [file = '', ...lines] = block.split('\n> ');
    const text = file
      .replace(/^(compute|router) \+ /u, (_, contract) =>
        contract === 'compute' ? compute() : router(),
      )
      .replace(/^compute\n/u, of.compute)
      .replace(/^router\n/u, of.router);
    return { text, lines };
  });

describe('a mistake', () => {
  it.each(mistakes)('of $lines.0 is told', ({ text, lines }) => {
    const found = refusal(text).problems.flatMap(
      ({ line, column, key, problem, excerpt, hint }) => [
        `${line}:${column}: ${key === '' ? '' : `${key}: `}${problem}`,
        ...(excerpt?.includes('‹hidden›') === true ? [excerpt] : []),
        ...(hint === 'Correct the value.' ? [] : [hint]),
      ],
    );
    expect(found).toEqual(lines);
  });

  it('is told with its line and a mark, beside the others', () => {
    const file = `${of.router}keys: { client: \${NOT_SET} }\nlimit: {}\nbudget: { minutes: soon }`;
    expect(`\n${refusal(file).message}`).toBe(`
my.yaml:3:17: keys.client: the environment has no NOT_SET
  3 | keys: { client: \${NOT_SET} }
    |                 ^
  Set it, as in: export NOT_SET=…

my.yaml:4:1: limit: unknown key
  4 | limit: {}
    | ^
  Did you mean limits?

my.yaml:5:20: budget.minutes: expected a number, found text "soon"
  5 | budget: { minutes: soon }
    |                    ^
  Correct the value.`);
    expect(refusal(file)).toMatchObject({
      file: 'my.yaml',
      problems: [{ line: 3, key: 'keys.client' }, {}, {}],
    });
  });
});
