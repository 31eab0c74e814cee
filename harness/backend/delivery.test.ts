/** Every way to deliver a response, as the client of a plain socket sees it. */

import { afterAll, describe, expect, test } from 'vitest';
import {
  type Behaviour,
  drop,
  envelope,
  events,
  type Place,
  respond,
  respondText,
} from './behaviour.ts';
import { markerOf } from './engine/request.ts';
import { startScriptedBackend } from './scripted-backend.ts';
import { encodeEvents } from './engine/reply.ts';
import { connect } from 'node:net';
import { drained } from '../passive/raw.test.support.ts';

const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
afterAll(async () => backend.close());

async function ask(id: string) {
  const messages = [{ role: 'user', content: markerOf(id) }];
  return rawPost(backend.listeners[0] ?? '', '/v1/chat/completions', { messages });
}

/** Plays one behaviour and resolves to the raw response and the recorded end of the hit. */
async function play(behaviour: Behaviour) {
  const id = await backend.script([behaviour]);
  const answer = await ask(id);
  await backend.waitFor(id, { ended: 1 });
  const [hit] = await backend.hits(id);
  return { ...answer, end: hit?.end };
}

test('any status, headers in order and with their case, any JSON', async () => {
  const headers: [string, string][] = [
    ['X-Two', 'b'],
    ['x-one', 'a'],
    ['X-Two', 'c'],
  ];
  const { head, framed, ended, end } = await play(respond(418, { tea: [null] }, { headers }));
  expect(head).toMatch(/^HTTP\/1\.1 418 /);
  expect(head).toContain('X-Two: b\r\nx-one: a\r\nX-Two: c\r\n');
  expect(head).toMatch(/content-type: application\/json\r\n/);
  expect(framed.toString()).toBe('{"tea":[null]}');
  expect([ended, end]).toEqual(['end', 'answered']);
});

test('text that is no JSON, under its usual label or a chosen one', async () => {
  const broken = await play(respondText(200, '{"cut": '));
  expect(broken.head).toMatch(/content-type: application\/json\r\n/);
  expect(broken.framed.toString()).toBe('{"cut": ');
  const html = await play(respondText(502, '<html>', { headers: [['Content-Type', 'text/html']] }));
  expect(html.head.match(/content-type/gi)).toHaveLength(1);
  expect(html.head).toContain('Content-Type: text/html\r\n');
});

test('any bytes, and none', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
  const raw = await play({ kind: 'respond', status: 500, base64: bytes.toString('base64') });
  expect(raw.framed).toEqual(bytes);
  const empty = await play(respond(503));
  expect(empty.head).toMatch(/content-length: 0\r\n/);
  expect(empty.framed).toHaveLength(0);
  const none = await play(respond(204));
  expect(none.head).not.toMatch(/content-length|transfer-encoding/i);
});

test("the router's own envelope", async () => {
  const { head, framed } = await play(
    envelope(429, 'token_limit_exceeded', 'router', { message: 'm' }),
  );
  expect(head).toMatch(/^HTTP\/1\.1 429 /);
  expect(JSON.parse(framed.toString())).toEqual({
    error: { code: 'token_limit_exceeded', message: 'm', source: 'router' },
  });
});

describe('a stream', () => {
  const list = [
    { data: 'a\nb', event: 'e', id: '1' },
    { json: { ü: 1 } },
    { comment: 'still here' },
    { raw: 'data: unended' },
  ];

  test.each([
    ['lf', '\n'],
    ['crlf', '\r\n'],
    ['cr', '\r'],
  ] as const)('of chosen events with %s, one chunk each', async (lineEnding, n) => {
    const { head, framed } = await play(events(list, { lineEnding, done: true }));
    expect(head).toMatch(/^HTTP\/1\.1 200 [^]*content-type: text\/event-stream\r\n/);
    const { chunks, whole } = chunksOf(framed);
    expect(whole).toBe(true);
    expect(chunks.map(String)).toEqual([
      `event: e${n}id: 1${n}data: a${n}data: b${n}${n}`,
      `data: {"ü":1}${n}${n}`,
      `: still here${n}${n}`,
      'data: unended',
      `data: [DONE]${n}${n}`,
    ]);
  });

  test('cut at any byte, also inside a code point and inside a line ending', async () => {
    const crlf = [{ data: 'ü' }];
    // "data: " has 6 bytes, the letter 2, each line ending 2.
    const { framed } = await play(events(crlf, { lineEnding: 'crlf', splitAt: [7, 9, 11, 400] }));
    const { chunks, whole } = chunksOf(framed);
    expect(chunks.map(({ length }) => length)).toEqual([7, 2, 2, 1]);
    expect([Buffer.concat(chunks).toString(), whole]).toEqual(['data: ü\r\n\r\n', true]);
  });

  test('of a plain body, in chunks without a length', async () => {
    const { head, framed } = await play(
      respondText(200, 'abcd', { framing: 'chunked', splitAt: [1] }),
    );
    expect(head).not.toMatch(/content-length/i);
    expect(chunksOf(framed).chunks.map(String)).toEqual(['a', 'bcd']);
  });
});

describe('ends the connection', () => {
  const list = [{ data: 'one' }, { data: 'two' }, { data: 'three' }];
  const { body, eventEnds } = encodeEvents(list);
  const places: readonly (readonly [string, Place, number | null])[] = [
    ['before the head', 'before-head', null],
    ['after the head', 'after-head', 0],
    ['after some bytes', { afterBytes: 3 }, 3],
    ['between events', { afterEvents: 2 }, eventEnds[1] ?? 0],
    ['inside an event', { insideEvent: 1, afterBytes: 4 }, (eventEnds[0] ?? 0) + 4],
    ['in the middle of an event', { insideEvent: 0 }, Math.floor((eventEnds[0] ?? 0) / 2)],
    ['before the end', 'before-end', body.length],
    ['at a place that is not there', { afterEvents: 9 }, body.length],
  ];

  test.each(places)('%s of a stream', async (_, at, sent) => {
    for (const how of ['close', 'reset'] as const) {
      const { head, framed, ended, end } = await play(events(list, { drop: { at, how } }));
      expect(ended).toBe(how === 'close' ? 'end' : 'ECONNRESET');
      expect(end).toBe('dropped');
      expect(head === '').toBe(sent === null);
      const { chunks, whole } = chunksOf(framed);
      expect(whole).toBe(false);
      expect(Buffer.concat(chunks)).toEqual(body.subarray(0, sent ?? 0));
    }
  });

  test('short of a declared length, even at its end', async () => {
    const { head, framed, ended } = await play(
      respondText(200, 'abcdef', { drop: { at: 'before-end', how: 'close' } }),
    );
    expect(head).toMatch(/content-length: 6\r\n/);
    expect([framed.toString(), ended]).toEqual(['abcde', 'end']);
  });

  test('without any answer, in the short form', async () => {
    expect(await play(drop())).toMatchObject({ ended: 'end', head: '' });
    expect(await play(drop('reset'))).toMatchObject({ ended: 'ECONNRESET', head: '' });
  });
});

test('counting the tokens of a prompt plays no script, whose request is still to come', async () => {
  const id = await backend.script([respond(200, {})]);
  const body = { prompt: `one two three ${markerOf(id)}` };
  const { framed } = await rawPost(backend.listeners[0] ?? '', '/tokenize', body);
  expect(JSON.parse(framed.toString())).toMatchObject({ count: expect.any(Number) });
  expect(await backend.counts(id)).toMatchObject({ hits: 0 });
});

/**
 * Posts JSON and reads until the connection ends; `Connection: close` makes the server end it after a response. `framed` is
 * the body with its framing, `ended` is `end` for an orderly close, and otherwise the error code.
 */
async function rawPost(base: string, path: string, json: unknown) {
  const { hostname, port } = new URL(base);
  const body = JSON.stringify(json);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const { bytes, error = 'end' } = await drained(socket);
  const end = bytes.indexOf('\r\n\r\n');
  const split = end === -1 ? bytes.length : end + 4;
  const head = bytes.toString('latin1', 0, split);
  return { head, framed: bytes.subarray(split), ended: error };
}

/** The chunks of a chunked body, and whether the last chunk arrived. */
function chunksOf(framed: Buffer): { readonly chunks: Buffer[]; readonly whole: boolean } {
  const chunks: Buffer[] = [];
  let from = 0;
  for (;;) {
    const lineEnd = framed.indexOf('\r\n', from);
    if (lineEnd === -1) return { chunks, whole: false };
    const size = Number.parseInt(framed.toString('latin1', from, lineEnd), 16);
    if (size === 0) return { chunks, whole: true };
    chunks.push(framed.subarray(lineEnd + 2, lineEnd + 2 + size));
    from = lineEnd + 2 + size + 2;
  }
}
