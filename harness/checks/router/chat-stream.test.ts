import { describe, expect, test } from 'vitest';
import { id, json, judged, sampleError, sampleExchange } from './sample.test.support.ts';

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
