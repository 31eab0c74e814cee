/** Two processes that drive one router, each with its own locks. */

import { setImmediate as settled } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startScriptedBackend } from '../../backend/scripted-backend.ts';
import { TurnLocks } from './turns.ts';

const beside = { exclusive: [], wholeTarget: false };
const alone = { exclusive: [], wholeTarget: true };
const last = { ...alone, last: true };

async function twoProcesses() {
  const backend = await startScriptedBackend({ listen: [] });
  onTestFinished(async () => backend.close());
  const { signal } = new AbortController();
  return { one: new TurnLocks(backend, signal), other: new TurnLocks(backend, signal) };
}

/** A response that is awaited; `begun` resolves when somebody begins to wait. */
function awaited() {
  let come = (): void => undefined;
  let begin = (): void => undefined;
  const answer = new Promise<void>((go) => (come = go));
  const begun = new Promise<void>((go) => (begin = go));
  const wait = async (): Promise<void> => {
    begin();
    return answer;
  };
  return { wait, begun, come: () => come() };
}

test('who must be alone does not wait for answers that the other process waits for', async () => {
  const { one, other } = await twoProcesses();
  const waiting = await one.take(beside);
  const { wait, begun, come } = awaited();
  const quiet = waiting.yieldTarget(wait);
  await begun;
  const grant = await other.take(alone);
  expect(grant.release).toBeTypeOf('function');
  grant.release();
  come();
  await quiet;
  waiting.release();
});

test('the last client waits for them, and lets the ones that have them go on afterwards', async () => {
  const { one, other } = await twoProcesses();
  const waiting = await one.take(beside);
  const order: string[] = [];
  const { wait, begun, come } = awaited();
  const quiet = waiting.yieldTarget(wait).then(() => order.push('went on'));
  await begun;
  const end = other.take(last).then((grant) => {
    order.push('last');
    return grant.release();
  });
  for (let turn = 0; turn < 20; turn += 1) await settled();
  expect(order).toEqual([]);
  come();
  await Promise.all([end, quiet]);
  expect(order).toEqual(['last', 'went on']);
  waiting.release();
  (await other.take(alone)).release();
});
