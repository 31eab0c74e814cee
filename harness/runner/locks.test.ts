import { expect, test } from 'vitest';
import { Locks } from './locks.ts';

const beside = { exclusive: [], wholeTarget: false };
const alone = { exclusive: [], wholeTarget: true };
const last = { ...alone, last: true };
const withKey = { ...beside, exclusive: ['key'] };

/** Locks whose claims have names; `granted` tells those that are granted once all pending promises have made progress. */
function watched() {
  const locks = new Locks();
  const names: string[] = [];
  return {
    granted: async () => {
      await new Promise((go) => setImmediate(go));
      return names;
    },
    take: async (name: string, claim: Parameters<Locks['take']>[0]) => {
      const grant = await locks.take(claim);
      names.push(name);
      return grant;
    },
  };
}

/** Lets a case wait quietly until `end` is called. */
function quietly(grant: Awaited<ReturnType<Locks['take']>>) {
  let end = (): void => {};
  const waiting = grant.yieldTarget(async () => new Promise<void>((go) => (end = go)));
  return { waiting, end: () => end() };
}

test('a case that must be alone waits for the others, and those that come later wait for it', async () => {
  const { granted, take } = watched();
  const first = await take('first', beside);
  const second = take('alone', alone);
  const third = take('later', beside);
  expect(await granted()).toEqual(['first']);
  first.release();
  const only = await second;
  expect(await granted()).toEqual(['first', 'alone']);
  only.release();
  (await third).release();
  expect(await granted()).toEqual(['first', 'alone', 'later']);
});

test('a fixture is had by one at a time', async () => {
  const { granted, take } = watched();
  const first = await take('first', withKey);
  const second = take('second', withKey);
  expect(await granted()).toEqual(['first']);
  first.release();
  (await second).release();
  expect(await granted()).toEqual(['first', 'second']);
});

test('while a case waits quietly another may be alone, and the first goes on after it', async () => {
  const { granted, take } = watched();
  const first = await take('first', withKey);
  const { waiting, end } = quietly(first);
  const only = await take('alone', alone);
  const other = take('wants the key', withKey);
  end();
  let wentOn = false;
  void waiting.then(() => (wentOn = true));
  expect(await granted()).toEqual(['first', 'alone']);
  expect(wentOn).toBe(false);
  only.release();
  await waiting;
  expect(await granted()).toEqual(['first', 'alone']);
  first.release();
  (await other).release();
  expect(await granted()).toEqual(['first', 'alone', 'wants the key']);
});

test('a quiet wait that fails still gives everything back', async () => {
  const { take } = watched();
  const first = await take('first', beside);
  const failed = first.yieldTarget(async () => Promise.reject(new Error('no answer')));
  await expect(failed).rejects.toThrow('no answer');
  first.release();
  (await take('alone', alone)).release();
});

test('a case that ends while it waits does not keep the target', async () => {
  const { granted, take } = watched();
  const first = await take('first', beside);
  const { waiting, end } = quietly(first);
  first.release();
  end();
  await waiting;
  (await take('alone', alone)).release();
  expect(await granted()).toEqual(['first', 'alone']);
});

test('of claims made together the first goes first, whatever it claims', async () => {
  const { granted, take } = watched();
  const first = take('with a fixture', withKey);
  const second = take('alone', alone);
  const grant = await first;
  expect(await granted()).toEqual(['with a fixture']);
  grant.release();
  (await second).release();
  expect(await granted()).toEqual(['with a fixture', 'alone']);
});

test('a case that must be last waits for those that wait for a fixture', async () => {
  const { granted, take } = watched();
  const first = await take('first', withKey);
  const second = take('second', withKey);
  const final = take('last', last);
  first.release();
  (await second).release();
  (await final).release();
  expect(await granted()).toEqual(['first', 'second', 'last']);
});

test('a case that must be last lets later ones pass, and waits for those that wait quietly', async () => {
  const { granted, take } = watched();
  const first = await take('first', beside);
  const { waiting, end } = quietly(first);
  const final = take('last', last);
  const only = await take('alone', alone);
  only.release();
  const later = await take('later', beside);
  later.release();
  expect(await granted()).toEqual(['first', 'alone', 'later']);
  end();
  await waiting;
  expect(await granted()).toEqual(['first', 'alone', 'later']);
  first.release();
  (await final).release();
  expect(await granted()).toEqual(['first', 'alone', 'later', 'last']);
});

test('a case that waits quietly already cannot begin to once more', async () => {
  const { take } = watched();
  const first = await take('first', beside);
  const { waiting, end } = quietly(first);
  await expect(first.yieldTarget(async () => undefined)).rejects.toThrow(/once at a time/);
  end();
  await waiting;
  await first.yieldTarget(async () => undefined);
  first.release();
  (await take('alone', alone)).release();
});

test('a case that begins when it is quiet waits for those before it, and goes beside others of its kind', async () => {
  const whenQuiet = { ...beside, whenIdle: true };
  const { granted, take } = watched();
  const first = await take('first', beside);
  const second = take('second', whenQuiet);
  const third = take('third', whenQuiet);
  const fourth = take('alone', alone);
  const fifth = take('fifth', whenQuiet);
  expect(await granted()).toEqual(['first']);
  // A case that only waits for its answers is not at work.
  const { waiting, end } = quietly(first);
  expect(await granted()).toEqual(['first', 'second', 'third']);
  (await second).release();
  expect(await granted()).toHaveLength(3);
  (await third).release();
  (await fourth).release();
  (await fifth).release();
  end();
  await waiting;
  first.release();
  expect(await granted()).toEqual(['first', 'second', 'third', 'alone', 'fifth']);
});

test('a case that begins when it is quiet begins at once where no other is, and others come beside it', async () => {
  const { granted, take } = watched();
  const first = await take('first', { ...beside, whenIdle: true });
  const second = await take('second', beside);
  expect(await granted()).toEqual(['first', 'second']);
  first.release();
  second.release();
});
