import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readHar, type RecordedEntry } from './har.ts';
import { exchangeOf, readNdjsonLine, readRecording } from './recording.ts';
import { Redactor, reported } from '../exchange/redaction.ts';
import { exchangeOf as made } from '../checks/compute/exchange.test.support.ts';
import { placeOf } from './traffic-record.ts';

const url = 'https://compute.example.com/v1/regions';

describe('har', () => {
  type Parts = Readonly<Partial<Record<'request' | 'response' | 'entry', object>>>;

  /** Reads a file with one entry, a page of instances as a browser would record it. */
  function read({ request = {}, response = {}, entry = {} }: Parts = {}) {
    const usual = {
      startedDateTime: '2026-11-21T10:00:00.000Z',
      time: 12.5,
      request: { method: 'GET', url, headers: [], ...request },
      response: {
        status: 200,
        headers: [{ name: 'content-type', value: 'application/json' }],
        content: { size: 7, text: '["FR"] ' },
        ...response,
      },
      timings: { blocked: 1, dns: -1, connect: -1, send: 0.5, wait: 8, receive: 3 },
    };
    const log = { version: '1.2', entries: [{ ...usual, ...entry }] };
    const [reading] = readHar(JSON.stringify({ log }), 'a.har');
    if (reading === undefined) throw new Error('no reading');
    return reading;
  }

  function entryOf(parts?: Parts): RecordedEntry {
    const reading = read(parts);
    if ('skipped' in reading) throw new Error(reading.skipped);
    return reading.entry;
  }

  test('an entry becomes an exchange', () => {
    expect(entryOf()).toMatchObject({
      method: 'GET',
      url,
      status: 200,
      isWhole: true,
      ending: 'complete',
      startedAt: Date.parse('2026-11-21T10:00:00.000Z'),
      headMs: 9.5,
      durationMs: 12.5,
    });
    expect(Buffer.from(entryOf().body).toString()).toBe('["FR"] ');
  });

  describe('a body', () => {
    const whole = (response: object): boolean => entryOf({ response }).isWhole;
    const json = [{ name: 'Content-Type', value: 'application/json' }];
    const length = (bytes: number) => [...json, { name: 'content-length', value: String(bytes) }];

    test.for([
      ['left out', { content: { size: 7 } }, false],
      ['left out, size and all', { content: {} }, false],
      ['left out by a recorder that counts nothing', { content: { size: 0, text: '' } }, false],
      ['of nothing, by its length', { headers: length(0), content: { size: 0 } }, true],
      ['of nothing, as counted', { content: { size: 0, text: '' }, bodySize: 0 }, true],
      ['of a 204', { status: 204, content: { size: -1 } }, true],
      ['cut', { content: { size: 100, text: '[1,2' } }, false],
      ['cut, by its length', { headers: length(100), content: { text: '[1,2' } }, false],
      ['cut, with nothing to tell it by', { content: { size: -1, text: '[1,2' } }, false],
      ['whole, with nothing to tell it by', { content: { size: -1, text: '[1,2]' } }, true],
      ['of broken JSON, whole by its size', { content: { size: 4, text: '[1,2' } }, true],
      ['of other letters, longer than counted', { content: { size: 3, text: '"é"' } }, true],
    ] as const)('%s', ([, response, expected]) => {
      expect(whole(response)).toBe(expected);
    });

    test('in base64 is decoded', () => {
      const text = Buffer.from('["US"]').toString('base64');
      const content = { size: 6, encoding: 'base64', text };
      expect(Buffer.from(entryOf({ response: { content } }).body).toString()).toBe('["US"]');
    });

    test('that the recorder has decoded loses its coding, and one that it has not keeps it', () => {
      const headers = [...json, { name: 'Content-Encoding', value: 'gzip' }];
      expect(entryOf({ response: { headers } }).headers).toEqual([
        ['Content-Type', 'application/json'],
      ]);
      const coded = Buffer.from([0x1f, 0x8b, 8, 0, 0]);
      const content = { size: 5, encoding: 'base64', text: coded.toString('base64') };
      expect(entryOf({ response: { headers, content } }).headers).toHaveLength(2);
    });
  });

  describe('what a browser adds is read over', () => {
    test('pseudo headers, and lines that were joined', () => {
      const headers = [
        { name: ':status', value: '200' },
        { name: 'set-cookie', value: 'a=1\nb=2' },
      ];
      expect(entryOf({ response: { headers } }).headers).toEqual([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ]);
    });

    test('a stream is never taken to be whole', () => {
      const headers = [{ name: 'content-type', value: 'text/event-stream; charset=utf-8' }];
      const content = { size: 12, text: 'data: [DONE]' };
      expect(entryOf({ response: { headers, content } }).ending).toBe('aborted');
    });

    test('a date that is none leaves the exchange without a time', () => {
      expect(entryOf({ entry: { startedDateTime: 'yesterday' } }).startedAt).toBe(0);
      expect(entryOf({ entry: { time: null } }).durationMs).toBe(0);
    });

    test.for([
      ['a response from the cache', { entry: { _fromCache: 'disk' } }],
      ['one of a service worker', { entry: { _fetchedViaServiceWorker: true } }],
      ['a WebSocket', { request: { url: 'wss://compute.example.com/v1' } }],
      ['an upgrade', { response: { status: 101 } }],
      ['no response', { response: { status: 0 } }],
      ['a response without headers', { response: { headers: [] } }],
      ['an entry without a request', { entry: { request: null } }],
    ] as const)('%s is skipped', ([, parts]) => {
      expect(read(parts)).toHaveProperty('skipped');
    });
  });

  describe('a file that is no HAR', () => {
    test.for(['', 'no JSON', '[]', '{}', '{"log":{}}', '{"log":{"entries":{}}}'])(
      '%j',
      (content) => {
        expect(() => readHar(content, 'a.har')).toThrow(/a\.har is n(?:o HAR|ot JSON)/u);
      },
    );

    test('an empty one is read, and so is one with a byte order mark', () => {
      expect(readHar('\uFEFF{"log":{"entries":[]}}', 'a.har')).toEqual([]);
    });
  });
});

describe('ndjson', () => {
  const minimal = {
    request: { method: 'get', url },
    response: { status: 200, headers: [['Content-Type', 'application/json']], body: '[]' },
  };
  const entryOf = (line: object) => {
    const reading = readNdjsonLine(JSON.stringify(line));
    if (reading === undefined || 'skipped' in reading) throw new Error('skipped');
    return reading.entry;
  };

  test('a line in the form of a report is the exchange that it was', () => {
    const exchange = made({ path: '/regions', body: ['FR'], query: 'a=1' });
    const line = reported(exchange, 'regions', new Redactor([]));
    const place = placeOf({ contract: 'compute', name: 'made', baseUrl: 'http://127.0.0.1/v1' });
    const read = exchangeOf(entryOf(line), place, exchange.id);
    expect(read).toMatchObject({
      request: { method: 'GET', path: '/regions', query: 'a=1' },
      response: { status: 200, headers: exchange.response?.headers },
      ending: 'complete',
    });
    expect(Buffer.from(read.response?.body ?? [])).toEqual(Buffer.from('["FR"]'));
  });

  describe('a line', () => {
    test('may say little', () => {
      expect(entryOf(minimal)).toMatchObject({ method: 'GET', isWhole: true, startedAt: 0 });
    });

    test('may have headers as members, and a body in base64', () => {
      const headers = { 'content-type': 'text/plain' };
      const response = { status: 200, headers, body: { base64: 'aGk=' } };
      const entry = entryOf({ ...minimal, response });
      expect(entry.headers).toEqual([['content-type', 'text/plain']]);
      expect(Buffer.from(entry.body).toString()).toBe('hi');
    });

    test('without a body, or with a part of one, does not hold the whole', () => {
      const { body: _, ...without } = minimal.response;
      expect(entryOf({ ...minimal, response: without }).isWhole).toBe(false);
      const cut = { ...minimal.response, body: { text: '[', bytes: 100, cut: true } };
      expect(entryOf({ ...minimal, response: cut }).isWhole).toBe(false);
    });

    test.for([
      ['no JSON', '{'],
      ['no exchange', '{"a":1}'],
      ['no response', JSON.stringify({ request: minimal.request })],
      ['no headers', JSON.stringify({ ...minimal, response: { status: 200 } })],
    ])('with %s is skipped', ([, line]) => {
      expect(readNdjsonLine(line ?? '')).toHaveProperty('skipped');
    });

    test('that is blank is nothing', () => {
      expect(readNdjsonLine('  ')).toBeUndefined();
    });
  });
});

describe('read recording', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recording-'));

  async function bodiesIn(text: string): Promise<readonly string[]> {
    const file = path.join(folder, 'traffic.ndjson');
    writeFileSync(file, text);
    const bodies: string[] = [];
    for await (const reading of readRecording(file)) {
      bodies.push(
        'entry' in reading ? Buffer.from(reading.entry.body).toString() : reading.skipped,
      );
    }
    return bodies;
  }

  const lineWith = (body: string): string =>
    JSON.stringify({
      request: { method: 'GET', url },
      response: { status: 200, headers: [['Content-Type', 'text/plain']], body },
    });

  it.each([
    ['line feeds', '\n', ''],
    ['a last line feed', '\n', '\n'],
    ['carriage returns before them', '\r\n', '\r\n'],
  ])('reads line after line: %s', async (_name, between, after) => {
    const bodies = ['one', 'two\u2028and\u2029a half', 'x'.repeat(200_000)];
    expect(await bodiesIn(bodies.map(lineWith).join(between) + after)).toEqual(bodies);
  });

  it('says what it skips', async () => {
    expect(await bodiesIn(`${lineWith('one')}\n\nno JSON\n`)).toEqual([
      'one',
      'lines that are not JSON',
    ]);
  });
});
