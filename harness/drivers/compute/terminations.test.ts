import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { Observation } from './api.ts';
import { terminateWithRetries } from './terminations.ts';

const accepted = exchangeOf({ status: 202 });
const conflict = exchangeOf({ status: 409 });
const failedTwice = { ...exchangeOf({ status: 500 }), retries: 1 };

/**
 * Terminates with these answers in turn, on at most `instances` that are in the state `after` then. Returns the last answer
 * and the number of instances taken.
 */
async function terminating(answers: readonly Exchange[], instances = 9, after = 'RUNNING') {
  let taken = 0;
  const { answer } = await terminateWithRetries(
    { terminate: async () => answers[taken - 1] ?? accepted },
    {},
    async () => {
      if (taken === instances) throw new NotExercised('used up');
      taken += 1;
      const seen: Observation = { status: after, record: {}, exchange: accepted };
      return { probe: { id: `id-${taken}`, observeFresh: async () => seen } };
    },
  );
  return { status: answer.response?.status, taken };
}

test.each([
  ['is accepted', [accepted], 202, 1],
  ['is refused at once', [conflict], 409, 1],
  ['failed once it had taken effect', [failedTwice, accepted], 202, 2],
  ['always fails', [failedTwice, failedTwice, failedTwice, accepted], 500, 3],
] as const)('a terminate that %s', async (_, answers, status, taken) => {
  expect(await terminating(answers)).toEqual({ status, taken });
});

test('the last answer counts where there are no further instances', async () => {
  expect(await terminating([failedTwice], 1)).toEqual({ status: 500, taken: 1 });
});

test.each(['TERMINATING', 'TERMINATED'])(
  'and tells nothing where the first try took effect: %s',
  async (after) => {
    await expect(terminating([failedTwice], 1, after)).rejects.toThrow(Inconclusive);
  },
);
