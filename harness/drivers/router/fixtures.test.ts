import { expect, test, vi } from 'vitest';
import { judgeByReplicas, replicasOf, requireTries } from './fixtures.ts';
import { violated } from '../../checks/judgement.ts';
import type { RouterContext } from './session.ts';

test('a step that tries once shows nothing of a second try', () => {
  expect(() => requireTries({ limits: { maxTries: 1 } }, 2)).toThrow('tries once');
  expect(() => requireTries({ limits: { maxTries: 2 } }, 2)).not.toThrow();
  expect(() => requireTries({ limits: {} }, 2)).not.toThrow();
});

const wrong = violated('A key was never refused.', { expected: '429', actual: '200' });

function judged(limits: { replicas?: number }, judgement = wrong) {
  const t = {
    limits,
    judge: vi.fn<RouterContext['judge']>(),
    inconclusive: vi.fn<RouterContext['inconclusive']>(),
  };
  judgeByReplicas(t, 'router.rate-limit-rules.exhausted-bucket', judgement);
  return t;
}

test('replicas are those of the target file, or four', () => {
  expect(replicasOf({ limits: { replicas: 6 } })).toBe(6);
  expect(replicasOf({ limits: {} })).toBe(4);
});

test('what more replicas would explain is wrong only where their number is known', () => {
  expect(judged({ replicas: 6 }).judge).toHaveBeenCalledOnce();
  const unknown = judged({});
  expect(unknown.judge).not.toHaveBeenCalled();
  expect(unknown.inconclusive.mock.calls[0]?.[1]).toContain('limits: { replicas: ... }');
  expect(judged({}, { seen: 1, violations: [] }).judge).toHaveBeenCalledOnce();
});
