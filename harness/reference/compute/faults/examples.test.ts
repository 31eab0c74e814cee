import { describe, expect, test } from 'vitest';
import { Caller, column, deploy } from '../caller.test-support.ts';
import type { ComputeReference } from '../start.ts';
import { exampleFaults } from './examples.ts';

/** What shows each fault: true where it shows. */
const shows: Readonly<Record<string, (reference: ComputeReference) => Promise<boolean>>> = {
  'size-201-accepted': async (reference) =>
    (await new Caller(reference).get('/instances', { size: '201' })).status === 200,
  'region-filter-forgotten-on-page-two': async (reference) => {
    const found = await new Caller(reference).walk('/instances', { region: 'FR', size: '5' });
    return column(found, 'region').some((region) => region !== 'FR');
  },
  'terminating-cannot-be-terminated': async (reference) => {
    const caller = new Caller(reference);
    const id = await caller.make();
    await caller.post(`/instances/${id}/terminate`);
    return (await caller.post(`/instances/${id}/terminate`)).status === 409;
  },
  'fourth-stop-refused': async (reference) => {
    const [id = ''] = reference.target().instances.stopped ?? [];
    const statuses: number[] = [];
    for (const _ of [1, 2, 3, 4]) {
      statuses.push((await new Caller(reference).post(`/instances/${id}/stop`)).status);
    }
    return statuses.join(' ') === '202 202 202 409';
  },
  'one-response-in-200-labelled-text': async (reference) => {
    const labels = new Map<string | null, number>();
    for (let count = 0; count < 400; count++) {
      const { headers } = await new Caller(reference).get('/regions');
      const label = headers.get('content-type');
      labels.set(label, (labels.get(label) ?? 0) + 1);
    }
    return labels.get('text/plain') === 2;
  },
  'second-account-sees-everything': async (reference) => {
    const id = await new Caller(reference).make();
    return (await new Caller(reference, 'second').get(`/instances/${id}`)).status === 200;
  },
};

describe.for(exampleFaults)('$name', ({ name, patch }) => {
  test('shows with its patch and not without', { timeout: 30_000 }, async () => {
    const seen = shows[name];
    if (seen === undefined) throw new Error(`Nothing here shows ${name}.`);
    expect(await seen(await deploy({ patch }))).toBe(true);
    expect(await seen(await deploy())).toBe(false);
  });
});
