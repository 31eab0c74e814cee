import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parksTooLong } from './parking.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { parkTimeoutMs: 250, requestTimeoutMs: 6_000 };
const never = async () => new Promise<never>(() => undefined);
const lost = async () => Promise.reject(new Error('lost'));

async function told(
  answers: () => Promise<unknown>,
  { full = true, known = limits }: { full?: boolean; known?: Partial<typeof limits> } = {},
): Promise<boolean> {
  const signal = new AbortController().signal;
  const tells = parksTooLong({ limits: known, signal }, answers(), async () =>
    Promise.resolve(full),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  return tells;
}

test('a request without an answer long after the park time is parked for too long', async () => {
  expect(await told(never)).toBe(true);
});

test.each([
  ['answered', async () => Promise.resolve(), {}],
  ['lost', lost, {}],
  ['one for which there was room meanwhile', never, { full: false }],
  ['one whose deadline is near', never, { known: { ...limits, requestTimeoutMs: 4_999 } }],
  ['one whose park time is not told', never, { known: { requestTimeoutMs: 6_000 } }],
])('a request that is %s is not', async (_, answers, given) => {
  expect(await told(answers, given)).toBe(false);
});
