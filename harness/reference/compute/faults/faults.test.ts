import { describe, expect, test } from 'vitest';
import { Caller, column, deploy } from '../caller.test.support.ts';
import type { ComputeReference } from '../start.ts';
import { computeFaults } from './index.ts';

test('names and breaks are well-formed, and names are given once', () => {
  const names = computeFaults.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary, aims, besides } of computeFaults) {
    const breaks = [aims, ...besides];
    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u);
    expect(summary).toMatch(/\.$/u);
    expect(new Set(breaks).size).toBe(breaks.length);
    for (const id of breaks) expect(id).toMatch(/^compute\.[a-z-]+\.[a-z0-9-]+$/u);
  }
});

/** One fault of each kind, and what shows it: true where it shows. */
const shows: Readonly<Record<string, (reference: ComputeReference) => Promise<boolean>>> = {
  'list-instances-size-201-is-served': async (reference) =>
    (await new Caller(reference).get('/instances', { size: '201' })).status === 200,
  'region-is-forgotten-on-page-two': async (reference) => {
    const found = await new Caller(reference).walk('/instances', { region: 'FR', size: '5' });
    return column(found, 'region').some((region) => region !== 'FR');
  },
  'terminating-cannot-be-terminated': async (reference) => {
    const caller = new Caller(reference);
    const id = await caller.make();
    await caller.post(`/instances/${id}/terminate`);
    return (await caller.post(`/instances/${id}/terminate`)).status === 409;
  },
  'fourth-stop-is-refused': async (reference) => {
    const [id = ''] = reference.target().instances.stopped ?? [];
    const statuses: number[] = [];
    for (const _ of [1, 2, 3, 4]) {
      statuses.push((await new Caller(reference).post(`/instances/${id}/stop`)).status);
    }
    return statuses.join(' ') === '202 202 202 409';
  },
  'one-response-in-200-is-labelled-text': async (reference) => {
    const labels = new Map<string | null, number>();
    for (let count = 0; count < 400; count++) {
      const { headers } = await new Caller(reference).get('/regions');
      const label = headers.get('content-type');
      labels.set(label, (labels.get(label) ?? 0) + 1);
    }
    return labels.get('text/plain') === 2;
  },
  'foreign-get-instance-is-served': async (reference) => {
    const id = await new Caller(reference).make();
    return (await new Caller(reference, 'second').get(`/instances/${id}`)).status === 200;
  },
};

describe.for(Object.entries(shows))('%s', ([name, seen]) => {
  test('shows with its patch and not without', { timeout: 30_000 }, async () => {
    const fault = computeFaults.find((candidate) => candidate.name === name);
    if (fault === undefined) throw new Error(`There is no fault ${name}.`);
    expect(await seen(await deploy({ patch: fault.patch }))).toBe(true);
    expect(await seen(await deploy())).toBe(false);
  });
});
