import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import { Inconclusive } from '../../runner/case.ts';
import { requireStillRan } from './stops.ts';

const refused = exchangeOf({ status: 409 });

function seenAs(status: string) {
  return { observeFresh: async () => ({ status, record: {}, exchange: exchangeOf() }) };
}

test.each([
  ['STOPPING', 0.01],
  ['STOPPED', 0.01],
  ['ERRORED', 100],
])('a refusal tells nothing when the instance is %s and had %d hours', async (status, hours) => {
  const listed = listRecord({ status: 'RUNNING', ttl_remaining_hours: hours });
  await expect(requireStillRan(seenAs(status), refused, listed)).rejects.toThrow(Inconclusive);
});

test.each([
  ['RUNNING', 0.01],
  ['STOPPING', 100],
  ['TERMINATING', 0.01],
])('it tells something when the instance is %s and had %d hours', async (status, hours) => {
  const listed = listRecord({ status: 'RUNNING', ttl_remaining_hours: hours });
  await expect(requireStillRan(seenAs(status), refused, listed)).resolves.toBeUndefined();
});

describe('a conflict after a try that failed', () => {
  const listed = listRecord({ status: 'RUNNING', ttl_remaining_hours: 100 });
  const conflict = { ...refused, retries: 1 };

  test('tells nothing when the instance moves', async () => {
    const judged = requireStillRan(seenAs('STOPPING'), conflict, listed);
    await expect(judged).rejects.toThrow(Inconclusive);
  });

  test('tells something when it still runs', async () => {
    const judged = requireStillRan(seenAs('RUNNING'), conflict, listed);
    await expect(judged).resolves.toBeUndefined();
  });
});

test('what was accepted needs no look', async () => {
  const probe = { observeFresh: () => Promise.reject(new Error('looked')) };
  await expect(
    requireStillRan(probe, exchangeOf({ status: 200 }), undefined),
  ).resolves.toBeUndefined();
});
