import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isPendingAfter } from './hold.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = new Promise<void>(() => undefined);
const { signal } = new AbortController();

test('what is not answered in time is pending', async () => {
  const isPending = isPendingAfter(100, never, signal);
  await vi.advanceTimersByTimeAsync(100);
  expect(await isPending).toBe(true);
});

test('what is answered or fails before is not, and nobody waits on', async () => {
  expect(await isPendingAfter(100, Promise.resolve(), signal)).toBe(false);
  expect(await isPendingAfter(100, Promise.reject(new Error('lost')), signal)).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing is pending in a run that was ended', async () => {
  const end = new AbortController();
  const isPending = isPendingAfter(100, never, end.signal);
  end.abort();
  expect(await isPending).toBe(false);
});
