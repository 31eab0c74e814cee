import { describe, expect, test } from 'vitest';
import { pass } from '../judgement.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import {
  cameWhileOpen,
  deliveredWhole,
  endsLikeItsEngine,
  failedAfterStart,
  jsonError,
  onceBegun,
} from './stream-delivery.ts';

const right = { seen: 1, violations: [] };
const engine = Buffer.from('data: 1\n\ndata: [DONE]\n\n');
const streamed = (body: string, parts = {}) =>
  sampleExchange({
    request: { stream: true },
    headers: [['Content-Type', 'text/event-stream']],
    body,
    ...parts,
  });
const silent = withoutResponse(sampleExchange());

describe('before a stream', () => {
  test('an error is JSON with a status of its own', () => {
    expect(jsonError(sampleError(503, 'no_capacity'))).toEqual(right);
    const error = 'data: {"error":{"code":"c","message":"m","source":"router"}}\n\n';
    for (const wrong of [
      streamed(error),
      streamed(error, { status: 503 }),
      sampleExchange({ status: 502, body: 'bad gateway' }),
    ]) {
      expect(jsonError(wrong).violations).toHaveLength(1);
    }
    expect(jsonError(silent).seen).toBe(0);
  });
});

describe('a stream that the engine ended', () => {
  test('comes to its end', () => {
    expect(deliveredWhole(streamed(engine.toString()))).toEqual(right);
  });

  test.each([
    streamed(''),
    streamed(engine.toString(), { ending: 'cut-short' }),
    sampleError(502, 'backend_error'),
  ])('does not, and that is told', (exchange) => {
    expect(deliveredWhole(exchange).violations).toHaveLength(1);
  });

  test('ends with the last event of its engine, or with another', () => {
    expect(endsLikeItsEngine(streamed(engine.toString()), engine)).toEqual(right);
    expect(endsLikeItsEngine(streamed('data: 1\n\n'), engine).violations).toHaveLength(1);
    expect(endsLikeItsEngine(sampleError(502, 'backend_error'), engine).seen).toBe(0);
  });

  test('shows nothing when nothing came', () => {
    expect(deliveredWhole(silent).seen).toBe(0);
  });

  test('comes while the engine holds it', () => {
    expect(cameWhileOpen(streamed('data: 1\n\n'), true)).toEqual(right);
    expect(cameWhileOpen(streamed('data: 1\n\n'), false).violations).toHaveLength(1);
    expect(cameWhileOpen(sampleError(502, 'backend_error'), false).seen).toBe(0);
  });
});

describe('a stream that fails', () => {
  test('is judged once it has begun', () => {
    expect(onceBegun(streamed(''), () => pass())).toEqual(right);
    expect(onceBegun(sampleError(502, 'backend_error'), () => pass()).seen).toBe(0);
  });

  test('shows nothing when we stopped reading it', () => {
    const left = streamed('data: 1\n\n', { ending: 'aborted' });
    expect(onceBegun(left, () => pass()).seen).toBe(0);
    expect(deliveredWhole(left).seen).toBe(0);
    expect(cameWhileOpen(left, false).seen).toBe(0);
  });

  test('keeps its status and ends early', () => {
    const lost = streamed('data: 1\n\n', { ending: 'reset' });
    expect(failedAfterStart(lost, true)).toEqual(right);
    expect(failedAfterStart(streamed('', { ending: 'timeout' }), true).violations).toHaveLength(1);
    expect(failedAfterStart(sampleError(502, 'backend_error'), true).violations).toHaveLength(1);
    expect(failedAfterStart(sampleError(502, 'backend_error'), false).seen).toBe(0);
  });
});
