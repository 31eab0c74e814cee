import { describe, expect, test } from 'vitest';
import { requirementsOf } from '../../schemas/contracts.ts';
import { pass } from '../checks/judgement.ts';
import { type Budget, BudgetSpent } from '../exchange/budget.ts';
import { budgetWith } from '../exchange/client.test.support.ts';
import type { Section, TestContext } from './case.ts';
import type { SuiteSession } from './run-case.ts';
import { casesOf, runCases } from './run.ts';
import { emptySession } from './session.test.support.ts';

const [A = '', B = '', C = ''] = requirementsOf('compute')
  .filter(({ strength }) => strength === 'stated')
  .map(({ id }) => id);

/** A session whose cases spend the number of requests that they declare, one by one. */
function sessionWith(requests: number) {
  const budget = budgetWith({ requests });
  const session: SuiteSession<TestContext<string>> = {
    ...emptySession(),
    requestsLeft: () => budget.requestsLeft,
  };
  return { ...session, budget };
}

function sectionOf(
  session: { readonly budget: Budget },
  cases: readonly {
    readonly judges: readonly [string, ...string[]];
    readonly requests: number;
    readonly waitsLong?: boolean;
  }[],
): Section<never> {
  return {
    contract: 'compute',
    name: 'some',
    cases: cases.map(({ judges, requests, waitsLong = false }) => ({
      title: `${judges.map((id) => [A, B, C].indexOf(id)).join('+')} for ${requests}`,
      judges,
      requests: [requests, requests] as const,
      waitsLong,
      run: async (t: TestContext<string>) => {
        for (let sent = 0; sent < requests; sent += 1) (await session.budget.enter())();
        for (const id of judges) t.judge(id, pass());
      },
    })),
  };
}

async function outcomesOf(section: Section<never>, session: SuiteSession<unknown>) {
  const signal = new AbortController().signal;
  return runCases(casesOf([section], 'compute'), session, { seed: 1, runs: 1, signal });
}

async function decidedOf(section: Section<never>, session: SuiteSession<unknown>) {
  const outcomes = await outcomesOf(section, session);
  return outcomes.filter(({ seen }) => Object.keys(seen).length > 0).map(({ case: name }) => name);
}

test.for<[string, Parameters<typeof sectionOf>[1], readonly string[]]>([
  [
    'begins with what decides most for each request',
    [
      { judges: [A], requests: 10 },
      { judges: [B, C], requests: 10 },
    ],
    ['1+2 for 10', '0 for 10'],
  ],
  [
    'counts nothing that a case before decides',
    [
      { judges: [A, B], requests: 3 },
      { judges: [A, B], requests: 2 },
      { judges: [C], requests: 9 },
    ],
    ['0+1 for 2', '2 for 9', '0+1 for 3'],
  ],
  [
    'lets those begin first that mostly wait',
    [
      { judges: [A], requests: 1 },
      { judges: [B], requests: 9, waitsLong: true },
    ],
    ['1 for 9', '0 for 1'],
  ],
])('the order of the cases %s', ([, cases, titles]) => {
  const section = sectionOf(sessionWith(100), cases);
  expect(casesOf([section], 'compute').map(({ one }) => one.title)).toEqual(titles);
});

describe('a budget that does not cover all cases', () => {
  test('is spent on those that decide most', async () => {
    const session = sessionWith(6);
    const section = sectionOf(session, [
      { judges: [A], requests: 6, waitsLong: true },
      { judges: [B], requests: 2 },
      { judges: [C], requests: 3 },
    ]);
    expect(await decidedOf(section, session)).toEqual([
      'compute/some › 1 for 2',
      'compute/some › 2 for 3',
    ]);
  });

  test('leaves what it can to the cheapest of the others', async () => {
    const session = sessionWith(10);
    const section = sectionOf(session, [
      { judges: [A, B], requests: 8 },
      { judges: [A], requests: 4 },
      { judges: [B], requests: 2 },
    ]);
    const decided = await decidedOf(section, session);
    expect(decided).toContain('compute/some › 1 for 2');
    expect(session.budget.sent).toBe(10);
  });

  test('tells of cases that could not begin, whatever others saw', async () => {
    const session = sessionWith(2);
    const section = sectionOf(session, [
      { judges: [A], requests: 2 },
      { judges: [B], requests: 5 },
    ]);
    const outcomes = await outcomesOf(section, session);
    expect(outcomes.flatMap(({ gaps }) => gaps)).toMatchObject([
      { requirement: B, kind: 'inconclusive', begun: false },
    ]);
    await expect(session.budget.enter()).rejects.toThrow(BudgetSpent);
  });
});
