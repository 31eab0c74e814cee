/** A server that gives away whatever key it is sent, in every place of an answer and in every form. */

import { createServer } from 'node:net';
import { type Listening, listening } from '../../harness/exchange/listening.test.support.ts';

export interface EchoServer extends Listening {
  /** Requests that it was asked. */
  readonly requests: () => number;
  /** Answers the next requests so that a run begins; returns how many it was asked so far. */
  readonly begin: () => number;
}

/** The forms in which a key may be echoed, by name. */
export const forms: Readonly<Record<string, (key: string) => string>> = {
  raw: (key) => key,
  url: encodeURIComponent,
  base64: (key) => Buffer.from(key).toString('base64'),
  base64url: (key) => Buffer.from(key).toString('base64url'),
  'base64 behind a name': (key) => Buffer.from(`user:${key}`).toString('base64'),
  json: (key) => JSON.stringify(key).slice(1, -1),
  hex: (key) => Buffer.from(key).toString('hex'),
  'capital hex': (key) => Buffer.from(key).toString('hex').toUpperCase(),
};

/** All forms of a key in one line that a header can carry. */
function allForms(key: string): string {
  return Object.values(forms)
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
  // Bytes that are no UTF-8, a body that stops half way, and what is no HTTP at all.
  (echo) => answer('200 OK', [json], `\u0000${echo}`).replace('\u0000', '\xff'),
  (echo) => answer('200 OK', [json], page(echo)).slice(0, -20),
  (echo) => `HTTP/1.1 ${echo} ${echo}\r\n${echo}\r\n\r\n`,
];

/** Requests that are answered with a page, so that a run begins. */
const FIRST = 24;

/** Answers each request in the next of these ways, with the key of that request. */
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
      socket.end(say?.(allForms(key), key) ?? '', 'latin1');
    });
  });
  return {
    ...(await listening(server)),
    requests: () => requests,
    begin: () => (begun = requests),
  };
}
