import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { ComputeGuard } from '../../exchange/compute-guard.ts';
import type { ComputeApi } from './api.ts';
import { Disposables, type DisposablesOptions } from './disposables.ts';

const statuses: Readonly<Record<string, string>> = {
  'aaaaaaaa-0000-4000-8000-000000000001': 'TERMINATED',
  'aaaaaaaa-0000-4000-8000-000000000002': 'STOPPED',
  'aaaaaaaa-0000-4000-8000-000000000003': 'TERMINATING',
};
const [dead = '', alive = '', dying = ''] = Object.keys(statuses);

/** What reads of single instances need, and nothing else. */
const api = {
  get: async (id: string) => exchangeOf({ body: { status: statuses[id] } }),
} as unknown as ComputeApi;

function listing(provision: readonly string[], keepFirst = false): Disposables {
  const consent = { stop: true, terminate: true };
  const rules = { terminate: undefined, start: undefined, provision: undefined, consent };
  return new Disposables({
    provision: [...provision],
    keepFirst,
    consent,
    guard: new ComputeGuard(rules),
    bindings: { getInstance: { record: '$' } },
  } as unknown as DisposablesOptions);
}

test('listed instances that are terminated are passed over, and told of when none is left', async () => {
  const disposables = listing([dead, alive, dying]);
  expect(await disposables.take(api)).toBe(alive);
  await expect(disposables.take(api)).rejects.toThrow(
    'the 3 listed disposable instances are used up, 2 of them terminated before they were needed',
  );
});

test('the one that was kept back is passed over as well', async () => {
  expect(await listing([dead, alive], true).take(api, true)).toBe(alive);
});
