import { describe, expect, test } from 'vitest';
import { Redactor, reported } from '../exchange/redaction.ts';
import { exchangeOf as made } from '../checks/compute/exchange.test.support.ts';
import { readNdjsonLine } from './ndjson.ts';
import { exchangeOf } from './recording.ts';
import { placeOf } from './traffic-record.ts';

const minimal = {
  request: { method: 'get', url: 'https://compute.example.com/v1/regions' },
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
    const response = {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: { base64: 'aGk=' },
    };
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
