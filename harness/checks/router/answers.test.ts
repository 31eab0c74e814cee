import { describe, expect, test } from 'vitest';
import { pass } from '../judgement.ts';
import { uuidDespiteClient } from './headers.ts';
import { classifiedAs, messageHolds, noRateLimit } from './classification.ts';
import { reachedEngine, reachedNoEngine, whenReached } from './tries.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import {
  hasMediaType,
  hasStatus,
  modelNotFound,
  routeAnswers,
  sameError,
  succeeded,
} from './outcome.ts';
import { omitsRemaining } from '../limits/quota.ts';

const right = { seen: 1, violations: [] };
const silent = withoutResponse(sampleExchange());
const cut = sampleExchange({ ending: 'cut-short' });

describe('hits', () => {
  test('a refused request has none', () => {
    expect(reachedNoEngine(sampleError(401, 'unauthorized'), 0)).toEqual(right);
    expect(reachedNoEngine(sampleExchange(), 1).violations).toHaveLength(1);
    expect(reachedNoEngine(silent, 1).seen).toBe(0);
  });

  test('others have as many as expected', () => {
    expect(reachedEngine(sampleExchange(), 2, 2)).toEqual(right);
    expect(reachedEngine(sampleExchange(), 2, 1).violations).toHaveLength(1);
  });

  test('an answer is judged only where there was one', () => {
    expect(whenReached(1, () => pass())).toEqual(right);
    expect(whenReached(0, () => pass()).seen).toBe(0);
  });
});

describe('successes', () => {
  test('are a 2xx', () => {
    expect(succeeded(sampleExchange({ status: 201 }))).toEqual(right);
    expect(succeeded(sampleExchange({ status: 302 })).violations).toHaveLength(1);
    expect(succeeded(silent).seen).toBe(0);
  });

  test('have the status that is asked for', () => {
    expect(hasStatus(sampleExchange({ status: 404 }), 404)).toEqual(right);
    expect(hasStatus(sampleExchange(), 404).violations).toHaveLength(1);
    expect(hasStatus(silent, 404).seen).toBe(0);
  });

  test('have the content type of the engine', () => {
    const typed = sampleExchange({ headers: [['content-type', 'Text/Plain; charset=utf-8']] });
    expect(hasMediaType(typed, 'text/plain')).toEqual(right);
    expect(hasMediaType(typed, 'application/json').violations).toHaveLength(1);
    expect(hasMediaType(sampleError(502, 'backend_error'), 'text/plain').seen).toBe(0);
  });
});

describe('unknown models', () => {
  const notFound = sampleError(404, 'model_not_found');
  const denied = sampleError(403, 'model_forbidden');

  test('are not found', () => {
    expect(modelNotFound(notFound, true)).toEqual(right);
    expect(modelNotFound(sampleExchange(), false).violations).toHaveLength(1);
  });

  test('may be forbidden for a key that could have an allowlist', () => {
    expect(modelNotFound(denied, false).seen).toBe(0);
    expect(modelNotFound(denied, true).violations).toHaveLength(1);
  });

  test('show that a route exists by the envelope', () => {
    expect(routeAnswers(denied)).toEqual(right);
    expect(routeAnswers(sampleExchange({ status: 404, body: 'nothing' })).violations).toHaveLength(
      1,
    );
    expect(routeAnswers(sampleExchange()).seen).toBe(0);
  });

  test('look like hidden ones', () => {
    expect(sameError(notFound, sampleError(404, 'model_not_found'))).toEqual(right);
    for (const other of [
      denied,
      sampleError(404, 'model_not_found', 'backend'),
      sampleExchange(),
    ]) {
      expect(sameError(notFound, other).violations).toHaveLength(1);
    }
    expect(sameError(notFound, cut).seen).toBe(0);
  });
});

describe('classified errors', () => {
  test('end as the one code of the tables', () => {
    const error = { status: 400, body: '' };
    expect(classifiedAs(sampleError(400, 'invalid_parameter', 'backend'), error)).toEqual(right);
    const wrong = sampleError(400, 'context_length_exceeded', 'backend');
    expect(classifiedAs(wrong, error).violations).toHaveLength(1);
  });

  test('show nothing where two codes may be right', () => {
    const error = { status: 400, body: '{"message":"contextual tokenizer"}' };
    expect(classifiedAs(sampleError(400, 'request_invalid'), error).seen).toBe(0);
  });

  test('are no rate limit', () => {
    expect(noRateLimit(sampleError(503, 'backend_unavailable', 'backend'))).toEqual(right);
    expect(noRateLimit(sampleError(429, 'backend_unavailable')).violations).toHaveLength(1);
    expect(noRateLimit(sampleError(503, 'rate_limit_exceeded')).violations).toHaveLength(1);
    expect(noRateLimit(silent).seen).toBe(0);
  });

  test('hold the message of the engine', () => {
    const error = { error: { code: 'c', message: 'engine: no top_p', source: 'backend' } };
    const exchange = sampleExchange({ status: 400, body: error });
    expect(messageHolds(exchange, 'no top_p')).toEqual(right);
    expect(messageHolds(exchange, 'no top_k').violations).toHaveLength(1);
    expect(messageHolds(sampleExchange(), 'x').seen).toBe(0);
    expect(messageHolds(exchange, '').seen).toBe(0);
  });
});

describe('headers', () => {
  const withId = (value: string) => sampleExchange({ headers: [['x-request-id', value]] });

  test('an id is a UUID whatever the client sent', () => {
    expect(uuidDespiteClient(withId('3f0c8a52-6d1e-4b7a-9c35-2e8f1d904b6c'))).toEqual(right);
    expect(uuidDespiteClient(withId('mine')).violations).toHaveLength(1);
    expect(uuidDespiteClient(sampleExchange({ headers: [] })).seen).toBe(0);
  });

  test('a key without quotas is told of neither', () => {
    expect(omitsRemaining(sampleExchange())).toEqual({ seen: 2, violations: [] });
    const told = sampleExchange({ headers: [['x-ratelimit-remaining-tokens', '-1']] });
    expect(omitsRemaining(told)).toMatchObject({ seen: 2, violations: [{ actual: '-1' }] });
    expect(omitsRemaining(silent).seen).toBe(0);
  });
});
