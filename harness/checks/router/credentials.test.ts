import { describe, expect, test } from 'vitest';
import { forbidden, letIn, mayUse, opensNothing, refused, refusedAlike } from './credentials.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';

const challenge = ['WWW-Authenticate', 'Bearer realm="r"'] as const;
const unauthorized = () => sampleError(401, 'unauthorized', 'router', { headers: [challenge] });
const notFound = sampleError(404, 'model_not_found');
const denied = sampleError(403, 'model_forbidden');
const silent = withoutResponse(sampleExchange());

describe('credentials', () => {
  test('a 401 is a refusal, and nothing else is', () => {
    expect(refused(unauthorized())).toEqual({ seen: 1, violations: [] });
    for (const other of [sampleExchange(), denied, notFound]) {
      expect(refused(other).violations).toHaveLength(1);
    }
    expect(refused(silent).seen).toBe(0);
  });

  test('two refusals are alike in status, body and challenge', () => {
    expect(refusedAlike(unauthorized(), [unauthorized()])).toEqual({ seen: 4, violations: [] });
    const bare = sampleError(401, 'unauthorized', 'router', { headers: [] });
    expect(refusedAlike(bare, [unauthorized()]).violations).toHaveLength(1);
  });

  test('401 and 403 do not let in, errors for other reasons do', () => {
    expect(letIn(notFound)).toEqual({ seen: 1, violations: [] });
    // What is said of the model shows that the key was accepted.
    expect(letIn(denied)).toEqual({ seen: 1, violations: [] });
    for (const out of [unauthorized(), sampleError(403, 'other')]) {
      expect(letIn(out).violations).toHaveLength(1);
    }
    expect(letIn(silent).seen).toBe(0);
  });
});

describe('a key of another role', () => {
  test('opens nothing, however it is refused', () => {
    expect(opensNothing(sampleExchange()).violations).toHaveLength(1);
    for (const no of [unauthorized(), denied, notFound]) {
      expect(opensNothing(no)).toEqual({ seen: 1, violations: [] });
    }
    for (const none of [silent, sampleError(503, 'no_capacity')]) {
      expect(opensNothing(none).seen).toBe(0);
    }
  });
});

describe('allowlists', () => {
  test('a named model is neither forbidden nor unknown', () => {
    expect(mayUse(sampleExchange()).violations).toEqual([]);
    expect(mayUse(sampleError(503, 'no_capacity')).violations).toEqual([]);
    for (const no of [denied, notFound]) expect(mayUse(no).violations).toHaveLength(1);
    expect(mayUse(silent).seen).toBe(0);
  });

  test('another model is forbidden', () => {
    expect(forbidden(denied)).toEqual({ seen: 1, violations: [] });
    for (const no of [sampleExchange(), notFound, sampleError(429, 'token_limit_exceeded')]) {
      expect(forbidden(no).violations).toHaveLength(1);
    }
    expect(forbidden(sampleError(400, 'model_forbidden')).violations).toHaveLength(1);
  });

  test('a model that the route cannot use either shows nothing', () => {
    expect(forbidden(sampleError(400, 'request_invalid')).seen).toBe(0);
    expect(forbidden(sampleError(429, 'rate_limit_exceeded')).seen).toBe(0);
    expect(forbidden(silent).seen).toBe(0);
  });
});
