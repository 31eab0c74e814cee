import { describe, expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** True if the promise is already fulfilled, after one turn of the event loop. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const late = Symbol('late');
  return (await Promise.race([promise, new Promise((go) => setImmediate(go, late))])) !== late;
}

describe('short requests', () => {
  test('a request without a place waits in order, and one that keeps others waiting goes ahead', async () => {
    const places = new Semaphore({ short: 1 });
    const leave = await places.take();
    const came: string[] = [];
    const comes = async (name: string, ahead: boolean): Promise<void> => {
      const leaveAgain = await places.take({ ahead });
      came.push(name);
      leaveAgain();
    };
    const all = Promise.all([comes('first', false), comes('second', false), comes('ahead', true)]);
    expect(await settled(all)).toBe(false);
    expect(came).toEqual([]);
    leave();
    await all;
    expect(came).toEqual(['ahead', 'first', 'second']);
  });

  test('a place is given back once', async () => {
    const places = new Semaphore({ short: 1 });
    const leave = await places.take();
    leave();
    leave();
    await places.take();
    expect(await settled(places.take())).toBe(false);
  });

  test('are bounded', async () => {
    const places = new Semaphore({ short: 2 });
    const release = await places.take();
    await places.take();
    const third = places.take();
    expect(await settled(third)).toBe(false);
    release();
    release();
    expect(await settled(third)).toBe(true);
    expect(await settled(places.take())).toBe(false);
  });

  test('take no more than what held ones leave', async () => {
    const places = new Semaphore({ short: 8, all: 4 });
    const letGo = await places.hold(2);
    await places.take();
    await places.take();
    const third = places.take();
    expect(await settled(third)).toBe(false);
    letGo();
    expect(await settled(third)).toBe(true);
  });
});

describe('held requests', () => {
  test('leave one place for a short one', async () => {
    const places = new Semaphore({ short: 8, all: 3 });
    await places.hold(2);
    expect(await settled(places.hold(1))).toBe(false);
    expect(await settled(places.take())).toBe(true);
  });

  test('come before short ones that wait, but for one', async () => {
    const places = new Semaphore({ short: 8, all: 3 });
    const first = await places.take();
    const second = await places.take();
    const held = places.hold(2);
    const third = places.take();
    second();
    expect(await settled(held)).toBe(true);
    expect(await settled(third)).toBe(false);
    first();
    expect(await settled(third)).toBe(true);
  });

  test('hold no short one up where others that are held are in their way', async () => {
    const places = new Semaphore({ short: 8, all: 6 });
    const letGo = places.tryHold(3);
    const held = places.hold(3);
    expect(await settled(places.take())).toBe(true);
    expect(await settled(places.take())).toBe(true);
    expect(await settled(held)).toBe(false);
    letGo?.();
    expect(await settled(held)).toBe(true);
  });

  test('are not bounded where the target is not', async () => {
    const places = new Semaphore({ short: 1 });
    expect(await settled(places.hold(1_000))).toBe(true);
    expect(await settled(places.take())).toBe(true);
  });

  test('are refused at once to a request that cannot wait for them', async () => {
    const places = new Semaphore({ short: 8, all: 3 });
    const letGo = places.tryHold(2);
    expect(letGo).toBeDefined();
    expect(places.tryHold(1)).toBeUndefined();
    expect(places.heldNow).toBe(2);
    letGo?.();
    expect(places.heldNow).toBe(0);
    const waiting = places.hold(2);
    expect(await settled(waiting)).toBe(true);
  });

  test('more than there is are an error', async () => {
    const places = new Semaphore({ short: 8, all: 3 });
    expect(places.mostHeld).toBe(2);
    await expect(places.hold(3)).rejects.toThrow(RangeError);
  });
});
