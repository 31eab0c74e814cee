import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { rootCertificates } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startCompute } from '../../reference/compute/start.ts';
import { command, folderOfTest } from '../result-files.test.support.ts';
import { portOf } from '../../exchange/listening.test.support.ts';

const folder = folderOfTest();
afterEach(() => void vi.unstubAllEnvs());

/** The headers of the last request. */
let asked: IncomingHttpHeaders = {};

/** Starts a server that gives the same response to every request, and returns its address. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    asked = request.headers;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

async function init(
  contract: string,
  baseUrl: string,
  {
    keyEnv = 'INIT_KEY',
    out = folder.file('new.yaml'),
    more = [],
  }: { keyEnv?: string; out?: string; more?: readonly string[] } = {},
) {
  const argv = ['--contract', contract, '--base-url', baseUrl, '--key-env', keyEnv];
  return command('init', ...argv, '--out', out, ...more);
}

describe('what was not seen is said', () => {
  test('of a compute deployment that shows no list', async () => {
    vi.stubEnv('INIT_KEY', 'some-key');
    const { code, stderr } = await init('compute', `${await answering(200, '{}')}/v1`);
    expect(code).toBe(0);
    expect(stderr).toContain('GET /instances answered 200 and no list of instances.');
    expect(stderr).toContain('GET /regions answered 200 and no list of regions.');
    expect(stderr).toContain('Is it a compute deployment');
  });

  test('of a router without a list of models', async () => {
    vi.stubEnv('INIT_KEY', 'some-key');
    const baseUrl = await answering(404, '{"error":{"code":"not_found","message":"no"}}');
    const { stderr, stdout } = await init('router', baseUrl, { out: '-' });
    expect(stderr).toContain('GET /v1/models answered 404 and no list of models.');
    expect(stdout).not.toContain('The key sees no models');
  });

  test('and nothing of the kind of one that shows them', async () => {
    const reference = await startCompute();
    vi.stubEnv('INIT_KEY', reference.target().keys.primary);
    const { code, stderr } = await init('compute', reference.baseUrl);
    await reference.close();
    expect(code).toBe(0);
    expect(stderr).not.toContain('Not seen');
    expect(existsSync(folder.file('new.yaml'))).toBe(true);
  });
});

test('headers and certificates are sent, and written as what names them', async () => {
  vi.stubEnv('INIT_KEY', 'some-key');
  vi.stubEnv('GATE', 'of-a-gate-3');
  const ca = folder.write('ca.pem', rootCertificates[0] ?? '');
  const more = ['--header', 'X-Gate: ${GATE}', '--header', 'X-Stage: blue', '--ca', ca];
  const { code, stderr } = await init('compute', `${await answering(200, '{}')}/v1`, { more });
  expect(code, stderr).toBe(0);
  expect(asked['x-gate']).toBe('of-a-gate-3');
  const text = readFileSync(folder.file('new.yaml'), 'utf8');
  expect(text).toContain('headers:\n  X-Gate: "${GATE}"\n  X-Stage: "${X_STAGE}"\n');
  expect(text).toContain('tls: { ca: ca.pem }\n');
});

test('editors find the form of the file where it lies below the package', async () => {
  vi.stubEnv('INIT_KEY', 'some-key');
  const { stdout } = await init('router', await answering(200, '{}'), { out: '-' });
  expect(stdout).toMatch(/^# yaml-language-server: \$schema=docs\/schema\/target\.schema\.json\n/u);
});

describe('what cannot be used is told in words', () => {
  test.for([
    ['an empty key', 'INIT_KEY', '', /^INIT_KEY is empty\. /u],
    [
      'a key with a space around it',
      'INIT_KEY',
      'a-key ',
      /^INIT_KEY holds no usable key: .*space/u,
    ],
    ['a key that no header carries', 'INIT_KEY', 'a\u0001b', /^INIT_KEY holds no usable key: /u],
    ['no variable', 'NO_SUCH_KEY', undefined, /^The environment has no NO_SUCH_KEY\. /u],
  ] as const)('%s', async ([, name, value, says]) => {
    if (value !== undefined) vi.stubEnv(name, value);
    const { code, stderr } = await init('compute', 'http://127.0.0.1:9/v1', { keyEnv: name });
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\{|\^|new\.yaml/u);
  });

  test.for(['sk_live_abcdef0123456789', 'abcdefghijklmnopqrstuvwxyz', 'AKIA1234567890EXAMPLE'])(
    'a key in the place of its variable is not repeated: %s',
    async (key) => {
      const { code, stderr } = await init('compute', 'http://127.0.0.1:9/v1', { keyEnv: key });
      expect(code).toBe(2);
      expect(stderr).toContain('--key-env');
      expect(stderr).not.toContain(key);
    },
  );

  test.for([[], ['--force']])('a folder as the file, with %j', async (more) => {
    const given = { out: folder.path, more };
    const { code, stderr } = await init('compute', 'http://127.0.0.1:9/v1', given);
    expect(code).toBe(2);
    expect(stderr).toContain(`${folder.path} is a folder.`);
  });
});
