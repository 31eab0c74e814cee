/** Unreachable deployments: exit 3 and an actionable cause, never a violation. */

import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll, test } from 'vitest';
import { contractOf } from '../../harness/contracts/index.ts';
import { preflight } from '../../harness/contracts/preflight.ts';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import { authority, issued, selfSigned } from './certificates.ts';
import { folderWith, plumbline } from './command.ts';
import { listening } from '../../harness/exchange/listening.test.support.ts';

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

async function on(server: Server): Promise<number> {
  server.on('tlsClientError', () => {});
  const { port, close } = await listening(server);
  closers.push(close);
  return port;
}

const answersNothing = (socket: Socket): void => void socket.on('error', () => {});
const tls = (options: TlsOptions): Server => createTlsServer(options, answersNothing);
/** A server that answers the first bytes of a client with these bytes and closes the connection. */
const replying = (bytes: readonly number[]): Server =>
  createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.from(bytes)));
  });

/** A fatal TLS alert `unrecognized_name` (RFC 6066 section 3): record header, level, description. */
const UNRECOGNIZED_NAME = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];
const HANDSHAKE_FAILURE = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28];

interface Unreachable {
  readonly what: string;
  readonly server: () => Server;
  /** The scheme (default `https`). */
  readonly scheme?: 'http';
  /** True if the run trusts the authority of the tests. */
  readonly trusted?: boolean;
  readonly cause: RegExp;
  readonly hint: RegExp;
}

const unreachable: readonly Unreachable[] = [
  {
    what: 'a certificate that vouches for itself',
    server: () => tls(selfSigned),
    cause: /self-signed certificate/u,
    hint: /not trusted.*NODE_EXTRA_CA_CERTS/su,
  },
  {
    what: 'a certificate of an unknown authority',
    server: () => tls(issued.good),
    cause: /unable to (?:get|verify)/u,
    hint: /not trusted.*NODE_EXTRA_CA_CERTS/su,
  },
  {
    what: 'a certificate that has expired',
    server: () => tls(issued.expired),
    trusted: true,
    cause: /CERT_HAS_EXPIRED/u,
    hint: /has expired/u,
  },
  {
    what: 'a certificate of another host',
    server: () => tls(issued.elsewhere),
    trusted: true,
    cause: /elsewhere\.example/u,
    hint: /another name/u,
  },
  {
    what: 'an old TLS alone',
    server: () =>
      tls({
        ...issued.good,
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers: 'ALL@SECLEVEL=0',
      }),
    cause: /protocol/u,
    hint: /TLS 1\.2/u,
  },
  {
    what: 'a client certificate that we do not have',
    server: () => tls({ ...issued.good, requestCert: true, rejectUnauthorized: true }),
    trusted: true,
    cause: /closed|certificate required/u,
    hint: /client certificate/u,
  },
  {
    what: 'plain HTTP where TLS is expected',
    server: () => createHttpServer((_request, response) => response.end('{}')),
    cause: /wrong version number/u,
    hint: /does not speak TLS/u,
  },
  {
    what: 'what is no HTTP',
    server: () => createServer((socket) => socket.end('220 mail ready\r\n')),
    scheme: 'http',
    cause: /./u,
    hint: /does not speak HTTP/u,
  },
  {
    what: 'TLS where plain HTTP is expected',
    server: () => tls(issued.good),
    scheme: 'http',
    cause: /./u,
    hint: /https/u,
  },
  {
    what: 'a handshake that is cut',
    server: () => createServer((socket) => socket.once('data', () => socket.destroy())),
    cause: /before secure TLS connection|ECONNRESET|closed/u,
    hint: /closed the connection before/u,
  },
  {
    what: 'an alert that the name is unknown',
    server: () => replying(UNRECOGNIZED_NAME),
    cause: /unrecognized name/u,
    hint: /name in baseUrl/u,
  },
  {
    what: 'an alert that no handshake is possible',
    server: () => replying(HANDSHAKE_FAILURE),
    cause: /handshake failure/u,
    hint: /TLS/u,
  },
];

const target = (port: number, scheme = 'https') =>
  JSON.stringify({
    contract: 'router',
    baseUrl: `${scheme}://localhost:${port}`,
    keys: { client: 'loopback' },
  });

test.concurrent.for(unreachable.filter(({ trusted }) => trusted !== true))(
  '$what keeps a run from beginning',
  async ({ server, scheme, cause, hint }, { expect }) => {
    const file = target(await on(server()), scheme);
    const found = await preflight(parseTarget(file, 'target.yaml'));
    expect(found?.problem).toMatch(/^localhost:\d+ could not be reached: [^\n]+\.$/u);
    expect(found?.problem).toMatch(cause);
    expect(found?.hint).toMatch(hint);
  },
);

test('a target that asks to wait for an hour is there', async ({ expect }) => {
  const limited = createHttpServer((_request, response) => {
    response.writeHead(429, { 'Retry-After': '3600' }).end('{}');
  });
  const file = JSON.stringify({
    contract: 'compute',
    baseUrl: `http://localhost:${await on(limited)}/v1`,
    keys: { primary: 'loopback' },
  });
  const found = await preflight(parseTarget(file, 'target.yaml'));
  expect(found?.problem).toMatch(/answered 429: .*wait 3600 s/u);
  expect(found?.hint).toMatch(/try again later/u);
  expect(`${found?.problem} ${found?.hint}`).not.toMatch(/closed|could not be reached/u);
});

test('all reads of all keys are sent at once, and wait no longer than one', async ({ expect }) => {
  const asked = new Set<string>();
  const waiting: (() => void)[] = [];
  const slow = createHttpServer(({ headers, url }, response) => {
    asked.add(`${headers.authorization} ${url}`);
    waiting.push(() => response.writeHead(401).end('{}'));
    if (asked.size === 2 * contractOf('compute').probes.length)
      for (const answer of waiting.splice(0)) answer();
  });
  const file = JSON.stringify({
    contract: 'compute',
    baseUrl: `http://localhost:${await on(slow)}/v1`,
    keys: { primary: 'loopback-one', second: 'loopback-two' },
  });
  const found = await preflight(parseTarget(file, 'target.yaml'));
  expect(found?.problem).toMatch(/does not accept the key "primary"/u);
});

test('a budget that the first reads use up is said, and is no mistake of the suite', async ({
  expect,
}) => {
  // This server never answers.
  const silent = createHttpServer(() => {});
  const file = JSON.stringify({
    contract: 'compute',
    baseUrl: `http://localhost:${await on(silent)}/v1`,
    keys: { primary: 'loopback' },
    budget: { minutes: 0.001 },
  });
  const found = await preflight(parseTarget(file, 'target.yaml'));
  expect(found?.problem).toMatch(/^localhost:\d+ did not answer before the budget was spent: /u);
  expect(found?.hint).toMatch(/more time/u);
});

// A process reads its trusted authorities at its start, so each of these tests runs the command.
test.concurrent.for(unreachable.filter(({ trusted }) => trusted === true))(
  '$what is exit 3 with a cause, and no report',
  async ({ server, cause, hint }, { expect }) => {
    const folder = folderWith({
      'target.yaml': target(await on(server())),
      'authority.pem': authority,
    });
    const { code, stdout, stderr } = await plumbline(['run', 'target.yaml'], folder, {
      NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem'),
    });
    expect({ code, stdout, stderr }).toMatchObject({ code: 3, stdout: '' });
    expect(stderr).toMatch(cause);
    expect(stderr).toMatch(hint);
    // Two lines for the user, and no stack trace.
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(existsSync(path.join(folder, 'conformance-report'))).toBe(false);
  },
);
