import { integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectThat, type Judgement, notObserved, pass, violated } from '../checks/judgement.ts';
import { BudgetSpent } from '../exchange/budget.ts';
import { TransportError } from '../exchange/repeating.ts';
import { Inconclusive, NotExercised, RunEnded, type TestContext } from './case.ts';
import type { MissingNeed } from '../target/offers.ts';
import { runCase } from './run-case.ts';
import { sampleExchange, withoutResponse } from '../checks/router/sample.test.support.ts';
import { emptySession } from './session.test.support.ts';

const ID = 'compute.some.thing';

async function outcomeOf(
  run: (witness: TestContext<string>) => Promise<void>,
  over: {
    missing?: readonly MissingNeed[];
    signal?: AbortSignal;
  } = {},
) {
  const one = { title: 'a case', judges: [ID] as const, run };
  return runCase(
    { contract: 'compute', name: 'some' },
    one,
    { ...emptySession(), missing: () => over.missing ?? [] },
    { seed: 1, runs: 10, signal: over.signal ?? new AbortController().signal },
  );
}

/** An outcome with this gap, and without an error. */
const gap = (kind: string, reason: unknown) => ({
  gaps: [{ requirement: ID, kind, reason }],
  errors: [],
});
const throwing = (error: Error) => async (): Promise<void> => {
  throw error;
};
const wrong = violated('it is wrong', { expected: 1, actual: 2 });
const waiting = sampleExchange({ ending: 'timeout' });
const lost = { exchange: waiting.id, why: 'it ended "timeout"', count: 1 };
const pace = expect.stringContaining('budget.requestsPerSecond');

describe('what a case says of its requirement', () => {
  test.for<[string, (t: TestContext<string>) => Promise<void>, object]>([
    [
      'something seen and right is seen, without finding or gap',
      async (t) => t.judge(ID, pass(3)),
      { seen: { [ID]: 3 }, findings: [], gaps: [] },
    ],
    [
      'something wrong is a finding',
      async (t) => t.judge(ID, wrong),
      { findings: [{ requirement: ID, message: 'it is wrong', expected: '1', actual: '2' }] },
    ],
    [
      'a request that waited when the time was over counts, and is lost',
      throwing(new BudgetSpent('the budget is spent', waiting)),
      { requests: 1, lost: [lost], exchanges: [{ id: waiting.id }] },
    ],
    [
      'what the target cannot show is not exercised',
      throwing(new NotExercised('the account has no instance')),
      gap('not-exercised', 'the account has no instance'),
    ],
    [
      'what says nothing is inconclusive',
      throwing(new Inconclusive('the account changed all the time')),
      gap('inconclusive', 'the account changed all the time'),
    ],
    [
      'what the budget does not allow is inconclusive',
      throwing(new BudgetSpent('the budget is spent')),
      gap('inconclusive', 'the budget is spent'),
    ],
    [
      'a request that was given up while it waited for the pace is no mistake of ours',
      throwing(new DOMException('This operation was aborted', 'AbortError')),
      gap('inconclusive', pace),
    ],
    [
      'any other exception is an error of ours',
      throwing(new TypeError('undefined is not a function')),
      { errors: [{ message: 'undefined is not a function' }] },
    ],
  ])('%s', async ([, run, expected]) => {
    expect(await outcomeOf(run)).toMatchObject(expected);
  });

  test('nothing seen is inconclusive, never silent', async () => {
    const outcome = await outcomeOf(async (t) => t.judge(ID, notObserved));
    expect(outcome.seen).toEqual({});
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind: 'inconclusive' }]);
  });

  test('a missing need keeps the case from running and names the line', async () => {
    const line = 'keys: { second: … }';
    const missing = [{ need: 'keys.second', purpose: 'a second key', line }];
    const outcome = await outcomeOf(throwing(new Error('it ran')), { missing });
    const reason = 'needs a second key';
    expect(outcome.gaps).toEqual([{ requirement: ID, kind: 'not-exercised', reason, line }]);
    expect(outcome.errors).toEqual([]);
  });

  test.for([
    [undefined, 'the run was interrupted'],
    [new RunEnded('something is broken'), 'something is broken'],
  ] as const)(
    'a case that is ended by %s is inconclusive, whatever it threw',
    async ([by, why]) => {
      const stop = new AbortController();
      const run = async (): Promise<void> => {
        stop.abort(by);
        throw new TypeError('aborted');
      };
      const outcome = await outcomeOf(run, { signal: stop.signal });
      expect(outcome).toMatchObject(gap('inconclusive', why));
    },
  );
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
  type Probe = (size: number, judge: (id: string, judgement: Judgement) => void) => void;
  const judging = async (probe: Probe) =>
    outcomeOf(async (t) =>
      t.property('sizes', integer({ min: 0, max: 1_000 }), async (size, judge) =>
        probe(size, judge),
      ),
    );

  test.for<[string, Probe, object]>([
    [
      'that holds counts its runs and observations',
      (_size, judge) => judge(ID, pass()),
      { seen: { [ID]: 10 }, properties: [{ name: 'sizes', runs: 10, informative: 10 }] },
    ],
    [
      'that breaks reports the smallest counterexample with what replays it',
      (size, judge) =>
        judge(ID, expectThat(size < 17, 'too large', { expected: '< 17', actual: size })),
      {
        findings: [
          {
            requirement: ID,
            actual: '17',
            counterexample: { value: '17', path: expect.stringMatching(/./u) },
          },
        ],
      },
    ],
    [
      'of which no value told anything is inconclusive',
      () => {},
      { gaps: [{ kind: 'inconclusive' }], properties: [{ informative: 0 }] },
    ],
    [
      'that meets trouble on the way ends, and takes it for no counterexample',
      () => {
        throw new Inconclusive('the network is down');
      },
      { findings: [], gaps: [{ kind: 'inconclusive', reason: 'the network is down' }] },
    ],
  ])('%s', async ([, probe, expected]) => {
    expect(await judging(probe)).toMatchObject(expected);
  });
});

describe('trouble on the way', () => {
  const unanswered = withoutResponse(sampleExchange());

  /** Runs a case that meets the unanswered exchange in its first `times` attempts; returns its outcome. */
  async function troubled(times: number, meet: () => void) {
    let attempts = 0;
    const outcome = await runCase(
      { contract: 'compute', name: 'some' },
      {
        title: 'a case',
        judges: [ID],
        run: async (t: TestContext<string> & { readonly met: () => void }) => {
          attempts += 1;
          if (attempts > times) return t.judge(ID, pass());
          t.met();
          meet();
        },
      },
      {
        ...emptySession(),
        context: (evidence, witness) => ({ ...witness, met: () => evidence.exchange(unanswered) }),
      },
      { seed: 1, runs: 10, signal: new AbortController().signal },
    );
    return { outcome, attempts };
  }

  test.for<[string, Error?]>([
    ['a case that saw nothing for it'],
    ['a case that could not go on for it', new Inconclusive('there was no answer')],
    ['a request that was given up', new TransportError('reset', unanswered)],
  ])('%s is tried again, which is counted', async ([, error]) => {
    const { outcome, attempts } = await troubled(1, () => {
      if (error !== undefined) throw error;
    });
    expect(attempts).toBe(2);
    expect(outcome).toMatchObject({ gaps: [], seen: { [ID]: 1 }, retries: 1 });
  });

  test('is borne three times, and is inconclusive then', async () => {
    const { outcome, attempts } = await troubled(9, () => {});
    expect(attempts).toBe(3);
    expect(outcome.gaps).toMatchObject([{ requirement: ID, kind: 'inconclusive' }]);
  });
});
