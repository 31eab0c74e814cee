import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import { Inconclusive } from '../../runner/case.ts';
import { requireStillRan } from './stops.ts';

test.each([
  ['STOPPING', 0.01, 0, false],
  ['STOPPED', 0.01, 0, false],
  ['ERRORED', 100, 0, false],
  ['RUNNING', 0.01, 0, true],
  ['STOPPING', 100, 0, true],
  ['TERMINATING', 100, 0, false],
  // After a try that failed.
  ['STOPPING', 100, 1, false],
  ['RUNNING', 100, 1, true],
])('one %s, with %d hours, refused after %i retries: %s', async (status, hours, retries, told) => {
  const seen = { observeFresh: async () => ({ status, record: {}, exchange: exchangeOf() }) };
  const refused = { ...exchangeOf({ status: 409 }), retries };
  const listed = listRecord({ status: 'RUNNING', ttl_remaining_hours: hours });
  const judged = requireStillRan(seen, refused, listed).then(
    () => true,
    (error: unknown) => !(error instanceof Inconclusive) && error,
  );
  expect(await judged).toBe(told);
});

test('what was accepted needs no look', async () => {
  const probe = { observeFresh: () => Promise.reject(new Error('looked')) };
  const accepted = exchangeOf({ status: 200 });
  await expect(requireStillRan(probe, accepted, undefined)).resolves.toBeUndefined();
});
