/** Corporate networks: a proxy, a private certificate authority, a client certificate, gateway headers, traces. */

import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import { connect } from '../../harness/drivers/connection.ts';
import { portOf } from '../../harness/exchange/listening.test.support.ts';
import { proxyFor } from '../../harness/exchange/network.ts';
import { reported } from '../../harness/exchange/redaction.ts';
import { authority, issued } from './certificates.ts';
import { folderWith } from './command.ts';
import { tunnelTo } from './tunnel.ts';

afterEach(() => {
  delete process.env['HTTP_PROXY'];
  delete process.env['HTTPS_PROXY'];
});

async function deployment(secure: boolean) {
  const seen: IncomingHttpHeaders[] = [];
  const answer = (
    request: { readonly headers: IncomingHttpHeaders },
    response: NodeJS.WritableStream,
  ): void => {
    seen.push(request.headers);
    response.end('{}');
  };
  const server = secure
    ? createHttpsServer({ ...issued.good, ca: authority, requestCert: true }, answer)
    : createHttpServer(answer);
  return { seen, port: await portOf(server) };
}

/** Sends one read with the HTTP client and one as raw bytes to what the file describes, and returns how each ended. */
async function both(file: object, folder = folderWith()) {
  const text = JSON.stringify({ contract: 'compute', keys: { primary: '${KEY}' }, ...file });
  const environment = { KEY: 'a-key-of-this-test', GATE: 'of-a-gate-1' };
  const planned = parseTarget(text, `${folder}/t.yaml`, environment);
  const connection = connect(planned, { check: () => {}, repeat: () => undefined });
  try {
    const request = { method: 'GET', path: '/regions', as: 'primary' } as const;
    const exchanges = [
      await connection.httpClient.send(request, () => {}),
      await connection.httpClient.sendBytes({ ...request, pieces: [] }, () => {}),
    ];
    return {
      endings: exchanges.map(
        ({ ending, response, cause }) => cause ?? `${ending} ${response?.status}`,
      ),
      told: JSON.stringify(exchanges.map((one) => reported(one, undefined, connection.redactor))),
    };
  } finally {
    await connection.close();
  }
}

function pemFiles(): string {
  const { key, cert } = issued.good;
  return folderWith({ 'ca.pem': authority, 'cert.pem': cert, 'key.pem': key });
}

const complete = ['complete 200', 'complete 200'];

describe.each([{ secure: false }, { secure: true }])('a proxy (TLS: $secure)', ({ secure }) => {
  const scheme = secure ? 'https' : 'http';
  const variable = secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const files = secure ? { tls: { ca: 'ca.pem', cert: 'cert.pem', key: 'key.pem' } } : {};

  test('carries what is sent, both ways', async () => {
    const { port, seen } = await deployment(secure);
    const asked: (string | undefined)[] = [];
    const proxy = tunnelTo(port, ({ url, headers }) => {
      asked.push(`${url} ${headers['proxy-authorization']}`);
    });
    process.env[variable] = `http://user:pass@127.0.0.1:${await portOf(proxy)}`;
    // The certificate is for localhost; the final dot keeps the name from counting as loopback.
    const baseUrl = secure ? 'https://localhost.:1/v1' : 'http://deployment.test/v1';
    const { endings } = await both({ baseUrl, ...files }, pemFiles());
    const basic = `Basic ${Buffer.from('user:pass').toString('base64')}`;
    expect(asked).toEqual(
      Array.from({ length: 2 }, () => `${secure ? 'localhost.:1' : 'deployment.test:80'} ${basic}`),
    );
    expect(endings).toEqual(complete);
    const { host } = new URL(baseUrl);
    expect(seen.map((headers) => headers.host)).toEqual([host, host]);
  });

  test('that refuses is told', async () => {
    const proxy = createHttpServer().on('connect', (_request, client) => {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const port = await portOf(proxy);
    process.env[variable] = `127.0.0.1:${port}`;
    const { endings } = await both({ baseUrl: `${scheme}://deployment.test/v1` });
    const text = `EPROXY: the proxy 127.0.0.1:${port} answered 403 to CONNECT deployment.test:${secure ? 443 : 80}`;
    expect(endings).toEqual([text, text]);
  });
});

test.for([
  ['https://a.example.com', {}, undefined],
  ['https://a.example.com', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
  ['https://a.example.com', { https_proxy: 'p:1', HTTPS_PROXY: 'q:1' }, 'http://p:1/'],
  ['https://a.example.com', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://a.example.com', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
  ['https://a.example.com', { HTTPS_PROXY: 'p:1', NO_PROXY: 'example.com' }, undefined],
  ['https://a.example.com', { HTTPS_PROXY: 'p:1', NO_PROXY: 'b.org, .Example.com' }, undefined],
  ['https://a.example.com', { HTTPS_PROXY: 'p:1', NO_PROXY: 'ample.com' }, 'http://p:1/'],
  ['https://a.example.com', { HTTPS_PROXY: 'p:1', NO_PROXY: 'a.example.com:8443' }, 'http://p:1/'],
  ['https://a.example.com:8443', { HTTPS_PROXY: 'p:1', NO_PROXY: 'example.com:8443' }, undefined],
  ['https://a.example.com', { HTTPS_PROXY: 'p:1', NO_PROXY: '*' }, undefined],
  ['https://127.0.0.1:9', { HTTPS_PROXY: 'p:1' }, undefined],
] as const)('%s with %o goes by %s', ([target, environment, proxy]) => {
  expect(proxyFor(new URL(target), environment)?.href).toBe(proxy);
});

describe('an authority of its own, and certificates of clients', () => {
  test('are taken from the files that the target file names', async () => {
    const { port } = await deployment(true);
    const folder = pemFiles();
    const baseUrl = `https://127.0.0.1:${port}/v1`;
    const tls = { ca: 'ca.pem', cert: 'cert.pem', key: 'key.pem' };
    expect((await both({ baseUrl, tls }, folder)).endings).toEqual(complete);
    const untrusted = await both({ baseUrl, tls: { ca: 'cert.pem' } }, folder);
    expect(untrusted.endings.join()).not.toContain('complete');
  });

  test.for([
    [{ ca: 'none.pem' }, 'ENOENT'],
    [{ cert: 'ca.pem' }, 'cert and key belong together'],
    [{ key: 'ca.pem' }, 'cert and key belong together'],
    [{ cert: 'text.pem', key: 'text.pem' }, 'PEM'],
  ] as const)('%o is refused with the file', async ([tls, problem]) => {
    const folder = folderWith({ 'ca.pem': authority, 'text.pem': 'text' });
    await expect(both({ baseUrl: 'https://127.0.0.1:1/v1', tls }, folder)).rejects.toThrow(problem);
  });
});

describe('headers', () => {
  test('are sent with every request, and a value of the environment is shown nowhere', async () => {
    const { port, seen } = await deployment(false);
    const headers = { 'X-Gate': 'Basic ${GATE}', 'X-Stage': 'blue' };
    const { endings, told } = await both({ baseUrl: `http://127.0.0.1:${port}/v1`, headers });
    expect(endings).toEqual(complete);
    const sent = { 'x-gate': 'Basic of-a-gate-1', 'x-stage': 'blue' };
    expect(seen).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
    expect(told).toContain('blue');
    expect(told).toContain('header:X-Gate');
    expect(told).not.toContain('of-a-gate-1');
  });

  test.for([
    [{ Authorization: 'x' }, 'the suite sets this header itself'],
    [{ 'a b': 'x' }, 'not the name of a header'],
    [{ 'X-A': 'one\ntwo' }, 'line break'],
  ] as const)('%o is refused', async ([headers, problem]) => {
    await expect(both({ baseUrl: 'http://127.0.0.1:1/v1', headers })).rejects.toThrow(problem);
  });
});

test.for([
  [undefined, 2],
  [false, 0],
] as const)(
  'traceparent: %s gives each request a trace, or none',
  async ([traceparent, traces]) => {
    const { port, seen } = await deployment(false);
    await both({ baseUrl: `http://127.0.0.1:${port}/v1`, traceparent });
    const told = seen.flatMap((headers) => headers['traceparent'] ?? []);
    expect(new Set(told).size).toBe(traces);
    for (const one of told) expect(one).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/u);
  },
);
