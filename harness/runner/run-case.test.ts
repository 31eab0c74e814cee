import { integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectThat, notObserved, pass, violated } from '../checks/judgement.ts';
import { BudgetSpent } from '../exchange/budget.ts';
import { TransportError } from '../exchange/client.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type CaseOptions, Inconclusive, NotExercised, type TestContext } from './case.ts';
import type { MissingNeed } from '../target/offers.ts';
import { runCase } from './run-case.ts';
import { sampleExchange } from '../checks/router/sample.test.support.ts';
import { emptySession } from './session.test.support.ts';

const ID = 'compute.some.thing';

async function outcomeOf(
  run: (witness: TestContext<string>) => Promise<void>,
  over: {
    missing?: readonly MissingNeed[];
    options?: Partial<CaseOptions<string>>;
    signal?: AbortSignal;
  } = {},
) {
  const one = { title: 'a case', judges: [ID] as const, ...over.options, run };
  return runCase(
    { contract: 'compute', name: 'some' },
    one,
    { ...emptySession(), missing: () => over.missing ?? [] },
    { seed: 1, runs: 10, signal: over.signal ?? new AbortController().signal },
  );
}

describe('what a case says of its requirement', () => {
  test('something seen and right is seen, without finding or gap', async () => {
    const outcome = await outcomeOf(async (t) => t.judge(ID, pass(3)));
    expect(outcome.seen).toEqual({ [ID]: 3 });
    expect(outcome.findings).toEqual([]);
    expect(outcome.gaps).toEqual([]);
  });

  test('something wrong is a finding', async () => {
    const outcome = await outcomeOf(async (t) =>
      t.judge(ID, violated('it is wrong', { expected: 1, actual: 2 })),
    );
    expect(outcome.findings).toMatchObject([
      { requirement: ID, message: 'it is wrong', expected: '1', actual: '2' },
    ]);
  });

  test('a request that waited when the time was over counts, and is lost', async () => {
    const waiting = sampleExchange({ ending: 'timeout' });
    const outcome = await outcomeOf(async () => {
      throw new BudgetSpent('the budget is spent', waiting);
    });
    expect(outcome).toMatchObject({
      requests: 1,
      lost: [{ exchange: waiting.id, why: 'it ended "timeout"', count: 1 }],
      exchanges: [{ id: waiting.id }],
    });
  });

  test('nothing seen is inconclusive, never silent', async () => {
    const outcome = await outcomeOf(async (t) => t.judge(ID, notObserved));
    expect(outcome.seen).toEqual({});
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind: 'inconclusive' }]);
  });

  test('a missing need keeps the case from running and names the line', async () => {
    let ran = false;
    const outcome = await outcomeOf(
      async () => {
        ran = true;
      },
      { missing: [{ need: 'keys.second', purpose: 'a second key', line: 'keys: { second: … }' }] },
    );
    expect(ran).toBe(false);
    expect(outcome.gaps).toEqual([
      {
        requirement: ID,
        kind: 'not-exercised',
        reason: 'needs a second key',
        line: 'keys: { second: … }',
      },
    ]);
  });

  test.for([
    [new NotExercised('the account has no instance'), 'not-exercised'],
    [new Inconclusive('the account changed all the time'), 'inconclusive'],
    [new BudgetSpent('the budget is spent'), 'inconclusive'],
  ] as const)('%s is a gap of kind %s', async ([error, kind]) => {
    const outcome = await outcomeOf(async () => {
      throw error;
    });
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind, reason: error.message }]);
    expect(outcome.errors).toEqual([]);
  });

  test('a request that was given up while it waited for the pace is no mistake of ours', async () => {
    const outcome = await outcomeOf(async () => {
      throw new DOMException('This operation was aborted', 'AbortError');
    });
    const reason = expect.stringContaining('budget.requestsPerSecond');
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind: 'inconclusive', reason }]);
    expect(outcome.errors).toEqual([]);
  });

  test('any other exception is an error of ours', async () => {
    const outcome = await outcomeOf(async () => {
      throw new TypeError('undefined is not a function');
    });
    expect(outcome.errors).toMatchObject([{ message: 'undefined is not a function' }]);
  });

  test('an interrupted case is inconclusive, whatever it threw', async () => {
    const stop = new AbortController();
    const outcome = await outcomeOf(
      async () => {
        stop.abort();
        throw new TypeError('aborted');
      },
      { signal: stop.signal },
    );
    expect(outcome.errors).toEqual([]);
    expect(outcome.gaps).toMatchObject([
      { kind: 'inconclusive', reason: 'the run was interrupted' },
    ]);
  });
});

test('what is judged after an interrupt shows nothing', async () => {
  const stop = new AbortController();
  const broken = expectThat(false, 'cut off', { expected: 1, actual: 0 });
  const outcome = await outcomeOf(
    async (t) => {
      stop.abort();
      t.judge(ID, broken);
      await t.property('sizes', integer(), async (_size, judge) => judge(ID, broken));
    },
    { signal: stop.signal },
  );
  expect(outcome.findings).toEqual([]);
  expect(outcome.seen[ID] ?? 0).toBe(0);
  expect(outcome.gaps[0]?.kind).toBe('inconclusive');
  const late = new AbortController();
  const inProbe = await outcomeOf(
    async (t) =>
      t.property('sizes', integer(), async (_size, judge) => {
        late.abort();
        judge(ID, broken);
      }),
    { signal: late.signal },
  );
  expect(inProbe.findings).toEqual([]);
  const usual = await outcomeOf(async (t) => t.judge(ID, broken));
  expect(usual.findings).toHaveLength(1);
});

describe('a property', () => {
  test('that holds counts its runs and observations', async () => {
    const outcome = await outcomeOf(async (t) =>
      t.property('sizes', integer(), async (_size, judge) => judge(ID, pass())),
    );
    expect(outcome.seen[ID]).toBe(10);
    expect(outcome.properties).toMatchObject([{ name: 'sizes', runs: 10, informative: 10 }]);
  });

  test('that breaks reports the smallest counterexample with what replays it', async () => {
    const outcome = await outcomeOf(async (t) =>
      t.property('sizes', integer({ min: 0, max: 1_000 }), async (size, judge) =>
        judge(ID, expectThat(size < 17, 'too large', { expected: '< 17', actual: size })),
      ),
    );
    expect(outcome.findings).toMatchObject([
      { requirement: ID, actual: '17', counterexample: { value: '17' } },
    ]);
    expect(outcome.findings[0]?.counterexample?.path).not.toBe('');
  });

  test('of which no value told anything is inconclusive', async () => {
    const outcome = await outcomeOf(async (t) => t.property('sizes', integer(), async () => {}));
    expect(outcome.gaps).toMatchObject([{ kind: 'inconclusive' }]);
    expect(outcome.properties).toMatchObject([{ informative: 0 }]);
  });

  test('trouble on the way ends it and is not taken for a counterexample', async () => {
    const outcome = await outcomeOf(async (t) =>
      t.property('sizes', integer(), async () => {
        throw new Inconclusive('the network is down');
      }),
    );
    expect(outcome.findings).toEqual([]);
    expect(outcome.gaps).toMatchObject([{ kind: 'inconclusive', reason: 'the network is down' }]);
  });
});

describe('trouble on the way', () => {
  const unanswered: Exchange = {
    id: 'e1',
    contract: 'compute',
    target: 'here',
    request: {
      method: 'POST',
      url: 'http://127.0.0.1:1/v1/x',
      path: '/x',
      query: '',
      headers: [],
      body: new Uint8Array(),
      credential: undefined,
    },
    response: undefined,
    ending: 'reset',
    cause: undefined,
    startedAt: 0,
    headMs: undefined,
    durationMs: 1,
    retries: 0,
  };

  /** Runs a case that meets the unanswered exchange in its first `times` attempts; returns its outcome. */
  async function troubled(times: number, meet: (attempt: number) => void) {
    let attempts = 0;
    const one = { title: 'a case', judges: [ID] as const, run: async () => {} };
    const base = emptySession();
    const outcome = await runCase(
      { contract: 'compute', name: 'some' },
      {
        ...one,
        run: async (t: TestContext<string> & { readonly met: () => void }) => {
          attempts += 1;
          if (attempts > times) return t.judge(ID, pass());
          t.met();
          meet(attempts);
        },
      },
      {
        ...base,
        context: (evidence, witness) => ({ ...witness, met: () => evidence.exchange(unanswered) }),
      },
      { seed: 1, runs: 10, signal: new AbortController().signal },
    );
    return { outcome, attempts };
  }

  test.for([
    ['a case that saw nothing for it', () => {}],
    [
      'a case that could not go on for it',
      () => {
        throw new Inconclusive('there was no answer');
      },
    ],
    [
      'a request that was given up',
      () => {
        throw new TransportError('reset', unanswered);
      },
    ],
  ] as const)('%s is tried again, which is counted', async ([, meet]) => {
    const { outcome, attempts } = await troubled(1, meet);
    expect(attempts).toBe(2);
    expect(outcome).toMatchObject({ gaps: [], seen: { [ID]: 1 }, retries: 1 });
  });

  test('is borne three times, and is inconclusive then', async () => {
    const { outcome, attempts } = await troubled(9, () => {});
    expect(attempts).toBe(3);
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind: 'inconclusive' }]);
  });
});
