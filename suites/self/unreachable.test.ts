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

const UNTRUSTED = /not trusted.*NODE_EXTRA_CA_CERTS/su;
const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
const asking = { requestCert: true, rejectUnauthorized: true };
const cutting = () => createServer((socket) => socket.once('data', () => socket.destroy()));
const answering = () => createHttpServer((_request, response) => response.end('{}'));
const mail = () => createServer((socket) => socket.end('220 mail ready\r\n'));

type Row = readonly [
  what: string,
  server: () => Server,
  cause: RegExp,
  hint: RegExp,
  scheme?: 'http',
];

const unreachable: readonly Row[] = [
  [
    'a certificate that vouches for itself',
    () => tls(selfSigned),
    /self-signed certificate/u,
    UNTRUSTED,
  ],
  [
    'a certificate of an unknown authority',
    () => tls(issued.good),
    /unable to (?:get|verify)/u,
    UNTRUSTED,
  ],
  ['an old TLS alone', () => tls({ ...issued.good, ...old }), /protocol/u, /TLS 1\.2/u],
  ['plain HTTP for TLS', answering, /wrong version number/u, /does not speak TLS/u],
  ['what is no HTTP', mail, /./u, /does not speak HTTP/u, 'http'],
  ['TLS for plain HTTP', () => tls(issued.good), /./u, /https/u, 'http'],
  [
    'a handshake that is cut',
    cutting,
    /before secure TLS connection|ECONNRESET|closed/u,
    /closed the connection before/u,
  ],
  ['an unknown name', () => replying(UNRECOGNIZED_NAME), /unrecognized name/u, /name in baseUrl/u],
  ['no handshake', () => replying(HANDSHAKE_FAILURE), /handshake failure/u, /TLS/u],
];

/** Those of a run that trusts the authority of the tests. */
const unreachableInTrust: readonly Row[] = [
  ['an expired certificate', () => tls(issued.expired), /CERT_HAS_EXPIRED/u, /has expired/u],
  [
    'a certificate of another host',
    () => tls(issued.elsewhere),
    /elsewhere\.example/u,
    /another name/u,
  ],
  [
    'a client certificate that we do not have',
    () => tls({ ...issued.good, ...asking }),
    /closed|certificate required/u,
    /client certificate/u,
  ],
];

const target = (port: number, scheme = 'https') =>
  JSON.stringify({
    contract: 'router',
    baseUrl: `${scheme}://localhost:${port}`,
    keys: { client: 'loopback' },
  });
const computeTarget = async (server: Server, more: object = {}) =>
  JSON.stringify({
    contract: 'compute',
    baseUrl: `http://localhost:${await on(server)}/v1`,
    keys: { primary: 'loopback' },
    ...more,
  });
const found = async (file: string) => preflight(parseTarget(file, 'target.yaml'));

test.concurrent.for(unreachable)(
  '%s keeps a run from beginning',
  async ([, server, cause, hint, scheme], { expect }) => {
    const { problem, hint: told } = (await found(target(await on(server()), scheme))) ?? {};
    expect(problem).toMatch(/^localhost:\d+ could not be reached: [^\n]+\.$/u);
    expect(problem).toMatch(cause);
    expect(told).toMatch(hint);
  },
);

test('a target that asks to wait for an hour is there', async ({ expect }) => {
  const limited = createHttpServer((_request, response) => {
    response.writeHead(429, { 'Retry-After': '3600' }).end('{}');
  });
  const { problem, hint } = (await found(await computeTarget(limited))) ?? {};
  expect(problem).toMatch(/answered 429: .*wait 3600 s/u);
  expect(hint).toMatch(/try again later/u);
  expect(`${problem} ${hint}`).not.toMatch(/closed|could not be reached/u);
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
  const keys = { primary: 'loopback-one', second: 'loopback-two' };
  const { problem } = (await found(await computeTarget(slow, { keys }))) ?? {};
  expect(problem).toMatch(/does not accept the key "primary"/u);
});

test('a budget that the first reads use up is said, and is no mistake of the suite', async ({
  expect,
}) => {
  // This server never answers.
  const silent = createHttpServer(() => {});
  const { problem, hint } =
    (await found(await computeTarget(silent, { budget: { minutes: 0.001 } }))) ?? {};
  expect(problem).toMatch(/^localhost:\d+ did not answer before the budget was spent: /u);
  expect(hint).toMatch(/more time/u);
});

// A process reads its trusted authorities at its start, so each of these tests runs the command.
test.concurrent.for(unreachableInTrust)(
  '%s is exit 3 with a cause, and no report',
  async ([, server, cause, hint], { expect }) => {
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
