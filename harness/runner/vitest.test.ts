import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CaseOptions } from './case.ts';
import { HeadStart, needsHeadStart } from './vitest.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function caseWith(options: Partial<CaseOptions<string>>) {
  return { title: 'one', judges: ['id'] as const, ...options, run: async () => undefined };
}

/** Notes when other targets may begin. */
function others(headStart: HeadStart) {
  const seen = { began: false };
  void headStart.ended().then(() => (seen.began = true));
  return seen;
}

test('a target with a case that waits alone has it', () => {
  expect(needsHeadStart([caseWith({ waitsLong: true }), caseWith({ isolation: 'target' })])).toBe(
    false,
  );
  expect(needsHeadStart([caseWith({ waitsLong: true, isolation: 'target' })])).toBe(true);
});

test('others begin when a case waits alone, and not with those before it', async () => {
  const headStart = new HeadStart();
  const seen = others(headStart);
  await headStart.watched(caseWith({ waitsLong: true })).run(undefined);
  await headStart.watched(caseWith({ waitsLong: true, whenIdle: true })).run(undefined);
  expect(seen.began).toBe(false);
  await headStart.watched(caseWith({ waitsLong: true, isolation: 'target' })).run(undefined);
  expect(seen.began).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('where nobody comes to wait alone, others begin with what comes after', async () => {
  const headStart = new HeadStart();
  const seen = others(headStart);
  await headStart.watched(caseWith({})).run(undefined);
  expect(seen.began).toBe(true);
});

test('others do not wait for long', async () => {
  const seen = others(new HeadStart());
  await vi.advanceTimersByTimeAsync(1_999);
  expect(seen.began).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen.began).toBe(true);
});
