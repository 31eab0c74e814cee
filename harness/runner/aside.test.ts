/** Cases that may run beside one that fills the target. */

import { expect, test } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import { pass, violated } from '../checks/judgement.ts';
import { Semaphore } from '../exchange/semaphore.ts';
import { Redactor } from '../exchange/redaction.ts';
import type { SuiteCase, TestContext } from './case.ts';
import { Locks } from './locks.ts';
import { runCase, type SuiteSession } from './run-case.ts';

const ID = 'router.some.thing';

type Context = TestContext<string> & { readonly meet: (status: number) => void };

/** A session in which a case fills the target until `end`; `told` are the findings that it told as they came. */
async function filledSession() {
  const told: string[] = [];
  const locks = new Locks();
  const session: SuiteSession<Context> = {
    tools: {
      contract: 'router',
      target: 'here',
      redactor: new Redactor([]),
      universal: () => [],
      operation: () => 'models',
      code: () => '',
      sampled: new Set(),
      onFinding: (requirement) => told.push(requirement),
    },
    locks,
    places: new Semaphore(4),
    missing: () => [],
    context: (evidence, witness) => ({
      ...witness,
      meet: (status) => evidence.exchange(exchangeOf({ status })),
    }),
  };
  const filling = await locks.take({ exclusive: [], alone: true });
  const run = async (aside: boolean, act: SuiteCase<Context>['run']) => {
    const one = { title: 'a case', judges: [ID] as const, aside, run: act };
    return runCase({ contract: 'router', name: 'some' }, one, session, {
      seed: 1,
      runs: 10,
      signal: new AbortController().signal,
    });
  };
  return { filling, run, told };
}

test('a case that stays aside runs while another one fills the target and waits', async () => {
  const { filling, run, told } = await filledSession();
  const outcome = await filling.withAside(async () =>
    run(true, async (t) => {
      t.meet(401);
      t.judge(ID, violated('it is wrong', { expected: 1, actual: 2 }));
    }),
  );
  expect(outcome).toMatchObject({ requests: 1, retries: 0, findings: [{ requirement: ID }] });
  expect(told).toEqual([ID]);
  filling.release();
});

test('what the crowd got in the way of runs once more in its turn, and only that counts', async () => {
  const { filling, run, told } = await filledSession();
  let times = 0;
  let began = (): void => undefined;
  const first = new Promise<void>((go) => (began = go));
  const outcome = run(true, async (t) => {
    times += 1;
    t.meet(times === 1 ? 503 : 401);
    t.judge(ID, times === 1 ? violated('it is wrong', { expected: 1, actual: 2 }) : pass());
    began();
  });
  await filling.withAside(async () => first);
  expect(times).toBe(1);
  filling.release();
  await expect(outcome).resolves.toMatchObject({
    requests: 2,
    retries: 1,
    findings: [],
    seen: { [ID]: 1 },
  });
  expect(told).toEqual([]);
});

test('a case that must not run beside others waits for its turn, and so does one that nobody lets pass', async () => {
  const { filling, run } = await filledSession();
  let times = 0;
  const act = async (t: Context): Promise<void> => {
    times += 1;
    t.judge(ID, pass());
  };
  const usual = run(false, act);
  await filling.withAside(async () => new Promise((go) => setImmediate(go)));
  const late = run(true, act);
  await new Promise((go) => setImmediate(go));
  expect(times).toBe(0);
  filling.release();
  await Promise.all([usual, late]);
  expect(times).toBe(2);
});
