import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pass, violated } from '../checks/judgement.ts';
import { eventually, isPendingAfter, retry, slowness } from './retry.ts';
import { computeWaits, routerWaits, waitLines, waits } from './waits.ts';

const t = { signal: new AbortController().signal };
const { twiceMore } = waits;

function counting() {
  let made = 0;
  return async () => Promise.resolve((made += 1));
}

test('what is done at once is tried once', async () => {
  expect(await retry(t, 'settles', counting(), () => true)).toBe(1);
});

test('tries once more after each pause until it is done, and gives what came last', async () => {
  expect(await retry(t, twiceMore, counting(), (made) => made === 2)).toBe(2);
  expect(await retry(t, twiceMore, counting(), () => false)).toBe(3);
});

test('tries that go on for a while end in time, with pauses that grow', async () => {
  const wait = { awaits: 'nothing', withinMs: 100, pollMs: [10, 20] } as const;
  const made = await retry(t, wait, counting(), () => false);
  expect(made).toBeGreaterThan(1);
  expect(made).toBeLessThan(20);
});

test('ends with the run', async () => {
  const ended = { signal: AbortSignal.abort(new Error('the run was ended')) };
  await expect(retry(ended, 'nextDay', counting(), () => false)).rejects.toThrow('ended');
});

test('a judgement says how often it was looked until it was right', async () => {
  const wrongFor = (times: number) => {
    let left = times;
    return async () => ((left -= 1) < 0 ? pass() : violated('wrong', { expected: 1, actual: 2 }));
  };
  expect(await eventually(t, twiceMore, wrongFor(0))).toEqual(pass());
  expect(await eventually(t, twiceMore, wrongFor(2))).toEqual({ ...pass(), tries: 3 });
  expect(await eventually(t, twiceMore, async () => Promise.resolve(undefined))).toBeUndefined();
});

test.for([
  ['an idle machine', 0.5, 2, 1],
  ['one process for each core', 2, 2, 1],
  ['three for each core', 6, 2, 2],
  ['far too much to do', 60, 2, 3],
] as const)('%s stretches every wait by its factor', ([, load, cores, factor]) => {
  expect(slowness(load, cores)).toBe(factor);
});

test('every wait has a line in the plan of its contract', () => {
  const [compute, router] = [computeWaits, routerWaits].map((own) => waitLines(own));
  expect(new Set([...(compute ?? []), ...(router ?? [])])).toHaveLength(Object.keys(waits).length);
  expect(compute).not.toEqual(router);
  expect(compute?.join('\n')).toContain('tries, over');
});

const never = new Promise<void>(() => {});

test('what is neither answered nor failed in time is pending', async () => {
  expect(await isPendingAfter(t, 10, never)).toBe(true);
  expect(await isPendingAfter(t, 1_000, delay(1))).toBe(false);
  expect(await isPendingAfter(t, 1_000, Promise.reject(new Error('gone')))).toBe(false);
  const ended = { signal: AbortSignal.abort() };
  expect(await isPendingAfter(ended, 10, never)).toBe(false);
});
