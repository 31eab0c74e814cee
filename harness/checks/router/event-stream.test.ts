import { describe, expect, test } from 'vitest';
import {
  endMarkers,
  isBeginningOf,
  outputOf,
  readEventStream,
  sameChoices,
} from './event-stream.ts';
import { id, json, judged, sampleError, sampleExchange } from './sample.test.support.ts';

describe('the end marker', () => {
  test.for([
    ['as the last event', 'data: {"a":1}\n\ndata: [DONE]\n\n', 1],
    ['as an event that was not finished', 'data: {"a":1}\n\ndata: [DONE]\n', 1],
    ['without the blank', 'data:[DONE]', 1],
    ['twice', 'data: [DONE]\n\ndata: [DONE]\n\n', 2],
    ['not at all', 'data: {"a":1}\n\n', 0],
    ['as text of a delta', 'data: {"content":"[DONE]"}\n\n', 0],
    ['as text of a delta that was cut off', 'data: {"content":"[DONE]', 0],
    ['only begun', 'data: [DON', 0],
  ] as const)('%s', ([, text, count]) => {
    expect(endMarkers(readEventStream(text))).toBe(count);
  });
});

describe('reading an event stream', () => {
  test.each(['\n', '\r\n', '\r'])('line ends %j', (end) => {
    const { events, rest, strayLines } = readEventStream(
      `: c${end}data: a${end}data: b${end}${end}`,
    );
    expect(events).toEqual([{ event: undefined, data: 'a\nb' }]);
    expect([rest, strayLines]).toEqual(['', []]);
  });

  test('keeps what was not finished apart', () => {
    expect(readEventStream('data: 1\n\ndata: 2\n')).toMatchObject({
      events: [{ data: '1' }],
      rest: 'data: 2\n',
    });
  });

  test('tells fields from what is none', () => {
    expect(readEventStream('data: 1\nx-note: 2\n\nid\n<html>\n{"a":1}').strayLines).toEqual([
      '<html>',
      '{"a":1}',
    ]);
  });
});

const right = { seen: 1, violations: [] };
const chunk = (content: string, more: object = {}, reason: string | null = null) => ({
  event: undefined,
  data: JSON.stringify({
    id: 'engine',
    ...more,
    choices: [{ index: 0, delta: { content }, finish_reason: reason }],
  }),
});
const usage = { event: undefined, data: '{"choices":[],"usage":{"completion_tokens":2}}' };
const end = { event: undefined, data: '[DONE]' };

describe('the output of a stream', () => {
  const whole = outputOf([chunk('Grü'), chunk('ße', {}, 'stop'), end]);

  test.each([
    ['under another id', [chunk('Grü', { id: 'router' }), chunk('ße', { x: 1 }, 'stop'), end]],
    ['in fewer events', [chunk('Grüße', {}, 'stop'), end]],
    ['with usage of its own', [chunk('Grü'), chunk('ße', {}, 'stop'), usage, end]],
  ])('is the same %s', (_, events) => {
    const output = outputOf(events);
    expect([isBeginningOf(output, whole), isBeginningOf(whole, output)]).toEqual([true, true]);
  });

  test.each([
    ['text is lost', [chunk('Grü', {}, 'stop'), end]],
    ['the end is lost', [chunk('Grüße', {}, 'stop')]],
    ['the reason is lost', [chunk('Grüße'), end]],
  ])('is not the same where %s', (_, events) => {
    expect(isBeginningOf(whole, outputOf(events))).toBe(false);
  });

  test.each([
    ['another text', [chunk('Gru')]],
    [
      'a text of another choice',
      [{ event: undefined, data: '{"choices":[{"index":1,"delta":{"content":"a"}}]}' }],
    ],
    ['an end before its time', [chunk('Grü'), end]],
    ['an error', [{ event: undefined, data: '{"error":{}}' }]],
  ])('does not begin with %s', (_, events) => {
    expect(isBeginningOf(outputOf(events), whole)).toBe(false);
  });
});

describe('the choices of a completion', () => {
  const sent = {
    choices: [{ index: 0, message: { content: 'a\n', refusal: null }, list: [1, 2] }],
  };
  const answer = (choices: unknown, more: object = {}) =>
    sampleExchange({ body: JSON.stringify({ id: 'router', ...more, choices }) });

  test('may stand beside what the router adds, without what is null', () => {
    expect(sameChoices(answer(sent.choices), sent)).toEqual(right);
    const retold = [{ index: 0, message: { content: 'a\n', by: 'router' }, list: [1, 2] }];
    expect(sameChoices(answer(retold, { model: 'alias' }), sent)).toEqual(right);
  });

  test.each([
    ['are lost', undefined],
    ['are fewer', []],
    ['have another text', [{ index: 0, message: { content: 'a' }, list: [1, 2] }]],
    ['have a shorter list', [{ index: 0, message: { content: 'a\n' }, list: [1] }]],
    [
      'have a value for null',
      [{ index: 0, message: { content: 'a\n', refusal: 'no' }, list: [1, 2] }],
    ],
  ])('%s', (_, choices) => {
    expect(sameChoices(answer(choices), sent).violations).toHaveLength(1);
  });

  test('are looked for in whole successes alone', () => {
    expect(sameChoices(sampleExchange({ body: '{' }), sent).violations).toHaveLength(1);
    expect(sameChoices(sampleError(502, 'backend_error'), sent).seen).toBe(0);
    expect(sameChoices(sampleExchange({ ending: 'cut-short' }), sent).seen).toBe(0);
  });
});

describe('a chat stream', () => {
  const stream = (body: string, parts: Partial<Parameters<typeof sampleExchange>[0]> = {}) =>
    sampleExchange({
      request: { stream: true },
      headers: [['Content-Type', 'text/event-stream'], id],
      body,
      ...parts,
    });

  test('holds', () => {
    const { held, broken } = judged(stream(': hi\n\ndata: {"a":1}\r\n\r\ndata: [DONE]\n\n'));
    expect(broken).toEqual([]);
    expect(held).toEqual(
      expect.arrayContaining(['router.streaming.content-type', 'router.streaming.events-parse']),
    );
    expect(held).not.toContain('router.streaming.no-envelope-in-stream');
  });

  test('may end early, inside an event', () => {
    const { held, broken } = judged(stream('data: {"a":1}\n\ndata: {"b', { ending: 'reset' }));
    expect(broken).toEqual([]);
    expect(held).toContain('router.streaming.no-envelope-in-stream');
  });

  test('with another label is noticed', () => {
    expect(judged(stream('{}', { headers: [json, id] })).broken).toEqual([
      'router.streaming.content-type',
    ]);
  });

  test('with bare JSON inside is noticed', () => {
    expect(judged(stream('data: 1\n\n{"a":1}\n')).broken).toEqual([
      'router.streaming.events-parse',
    ]);
  });

  const envelope = JSON.stringify({
    error: { code: 'backend_error', message: 'm', source: 'backend' },
  });
  test.each([`data: 1\n\ndata: ${envelope}\n\n`, `data: 1\n\ndata: ${envelope}`])(
    'with an envelope inside is noticed: %j',
    (body) => {
      expect(judged(stream(body)).broken).toEqual(['router.streaming.no-envelope-in-stream']);
    },
  );

  test('is only what was asked to stream on the native route and began', () => {
    expect(judged(sampleExchange({ request: { stream: false } })).held).not.toContain(
      'router.streaming.content-type',
    );
    const proxied = sampleExchange({ path: '/v1/messages', request: { stream: true } });
    expect(judged(proxied).broken).toEqual([]);
    expect(
      judged(sampleError(503, 'no_capacity', 'router', { request: { stream: true } })).broken,
    ).toEqual([]);
  });
});
