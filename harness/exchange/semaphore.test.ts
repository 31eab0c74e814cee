import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** Lets everything that can go on go on. */
async function settled(): Promise<void> {
  await new Promise((go) => setImmediate(go));
}

test('who finds no place waits in order, and who keeps others waiting goes ahead', async () => {
  const places = new Semaphore(1);
  const leave = await places.take();
  const came: string[] = [];
  const comes = async (name: string, ahead: boolean): Promise<void> => {
    const leaveAgain = await places.take({ ahead });
    came.push(name);
    leaveAgain();
  };
  const all = [comes('first', false), comes('second', false), comes('ahead', true)];
  await settled();
  expect(came).toEqual([]);
  leave();
  await Promise.all(all);
  expect(came).toEqual(['ahead', 'first', 'second']);
});

test('a place is given back once', async () => {
  const places = new Semaphore(1);
  const leave = await places.take();
  leave();
  leave();
  await places.take();
  const came: string[] = [];
  const comes = async (): Promise<void> => {
    await places.take();
    came.push('second');
  };
  void comes();
  await settled();
  expect(came).toEqual([]);
});
