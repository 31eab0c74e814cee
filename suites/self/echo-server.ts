/** A server and a proxy that echo every received key in many forms. */

import { createServer as createHttpServer, request as forward } from 'node:http';
import { createServer } from 'node:net';
import { type Listening, listening } from '../../harness/exchange/listening.test.support.ts';

export interface EchoServer extends Listening {
  readonly requests: () => number;
  /** Answers the next requests normally, so that a run can begin; returns the number of requests so far. */
  readonly begin: () => number;
}

/** Every byte of a text as two hexadecimal digits after a mark. */
function bytesBehind(mark: string, text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replaceAll(/../gu, (digits) => `${mark}${digits}`);
}

/** The forms of an echoed key that a header can carry, by name. */
export const forms: Readonly<Record<string, (key: string) => string>> = {
  raw: (key) => key,
  url: encodeURIComponent,
  'url, every byte': (key) => bytesBehind('%', key),
  'url, twice': (key) => encodeURIComponent(encodeURIComponent(key)),
  'url, a half': (key) => bytesBehind('%', key.slice(0, 12)) + key.slice(12),
  'quoted-printable': (key) => bytesBehind('=', key.toUpperCase()),
  base64: (key) => Buffer.from(key).toString('base64'),
  base64url: (key) => Buffer.from(key).toString('base64url'),
  'base64 behind a name': (key) => Buffer.from(`user:${key}`).toString('base64'),
  'base64 of UTF-16': (key) => Buffer.from(key, 'utf16le').toString('base64'),
  json: (key) => JSON.stringify(key).slice(1, -1),
  'json, every character': (key) => bytesBehind(String.raw`\u00`, key),
  html: (key) => bytesBehind(';&#x', key).slice(1) + ';',
  hex: (key) => Buffer.from(key).toString('hex'),
  'capital hex': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'capital letters': (key) => key.toUpperCase(),
  backwards: (key) => Array.from(key).toReversed().join(''),
  spaced: (key) => Array.from(key).join(' '),
  dashed: (key) => Array.from(key).join('-'),
};

/** The forms that only a body can carry. */
export const wideForms: Readonly<Record<string, (key: string) => string>> = {
  'UTF-16': (key) => Buffer.from(key, 'utf16le').toString('latin1'),
  'UTF-16, the other order': (key) => Buffer.from(key, 'utf16le').swap16().toString('latin1'),
  'UTF-32': (key) => Array.from(key, (one) => `${one}\0\0\0`).join(''),
  'UTF-32, the other order': (key) => Array.from(key, (one) => `\0\0\0${one}`).join(''),
};

function allOf(which: typeof forms, key: string): string {
  return Object.values(which)
    .map((form) => form(key))
    .join(' ');
}

type Answer = (echo: string, key: string) => string;

const json = 'Content-Type: application/json';

function answer(status: string, headers: readonly string[], body: string): string {
  const bytes = Buffer.byteLength(body);
  return `HTTP/1.1 ${status}\r\n${[...headers, `Content-Length: ${bytes}`].map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}

function page(echo: string): string {
  const item = { instance_id: echo, id: echo, name: echo, status: echo, region: echo, [echo]: 1 };
  return JSON.stringify({ data: [item], pagination: { next: echo, size: 1 }, presets: [item] });
}

const answers: readonly Answer[] = [
  (echo) => answer('200 OK', [json, `X-Echo: ${echo}`, 'X-Request-ID: 1'], page(echo)),
  (echo) =>
    answer(
      '401 Unauthorized',
      [json, `WWW-Authenticate: Bearer realm="${echo}"`, `X-Request-ID: ${echo}`],
      JSON.stringify({ error: { code: echo, message: echo, request_id: echo, source: echo } }),
    ),
  (echo) => answer('400 Bad', ['Content-Type: text/html'], `<p>${echo}</p>`),
  (_echo, key) => answer('302 Found', [`Location: /elsewhere?key=${encodeURIComponent(key)}`], ''),
  (echo) => answer(`500 ${echo}`, [`Content-Type: ${echo}`, `Retry-After: ${echo}`], echo),
  (echo) =>
    answer('200 OK', ['Content-Type: text/event-stream'], `data: ${echo}\n\ndata: {"${echo}\n\n`),
  // Invalid UTF-8, a body that stops half way, and a response that is not HTTP.
  (echo, key) =>
    answer('200 OK', [json], `\u0000${echo}${allOf(wideForms, key)}`).replace('\u0000', '\xff'),
  (_echo, key) => answer('200 OK', [json], JSON.stringify({ data: [allOf(wideForms, key)] })),
  (_echo, key) => answer('400 Bad', ['Content-Type: text/plain'], allOf(wideForms, key)),
  (echo) => answer('200 OK', [json], page(echo)).slice(0, -20),
  (echo) => `HTTP/1.1 ${echo} ${echo}\r\n${echo}\r\n\r\n`,
];

/** Number of requests that get a normal page, so that a run can begin. */
const FIRST = 24;

/** Starts a server that answers each request in the next of these ways, with the key of that request. */
export async function startEchoServer(): Promise<EchoServer> {
  let requests = 0;
  let begun = 0;
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const key = /^authorization: bearer (.*?)\r?$/imu.exec(text.slice(0, end + 2))?.[1] ?? 'none';
      const say = answers[requests - begun < FIRST ? 0 : requests % answers.length];
      requests += 1;
      socket.end(say?.(allOf(forms, key), key) ?? '', 'latin1');
    });
  });
  return {
    ...(await listening(server)),
    requests: () => requests,
    begin: () => (begun = requests),
  };
}

/** Starts a proxy that replaces some Authorization values by real ones, and echoes the received key in every response. */
export async function startEchoProxy(
  port: number,
  real: Readonly<Record<string, string>>,
): Promise<Listening> {
  const server = createHttpServer((incoming, outgoing) => {
    const { authorization = '' } = incoming.headers;
    const headers = { ...incoming.headers, authorization: real[authorization] ?? authorization };
    const { method, url } = incoming;
    const onward = forward({ port, method, path: url, headers }, (reply) => {
      const key = authorization.replace(/^Bearer /u, '');
      const echoes = Object.values(forms).flatMap((form) => ['X-Echo', form(key)]);
      outgoing.writeHead(reply.statusCode ?? 500, [...reply.rawHeaders, ...echoes]);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return listening(server);
}
