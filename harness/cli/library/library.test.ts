import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeFaults } from '../../reference/compute/faults/index.ts';
import { type ComputeReference, startCompute } from '../../reference/compute/start.ts';
import {
  defineConformanceSuite,
  exchangeOf,
  judgeExchanges,
  runConformance,
  type SeenExchange,
} from './index.ts';

const seen: SeenExchange = {
  contract: 'compute',
  baseUrl: 'https://compute.example.com/v1',
  method: 'GET',
  url: 'https://compute.example.com/v1/instances?size=0',
  status: 400,
  headers: [['Content-Type', 'application/json']],
  body: '{"error":{"code":"VALIDATION_ERROR","message":"size","request_id":"r1"}}',
};

describe('exchanges of one’s own', () => {
  test('that hold: something is seen, and nothing violated', () => {
    const judgements = judgeExchanges('compute', [exchangeOf(seen)]);
    expect(judgements.length).toBeGreaterThan(0);
    expect(judgements.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test('that do not: the requirement is named', () => {
    const wrong = exchangeOf({ ...seen, body: '{"message":"size"}' });
    const broken = judgeExchanges('compute', [wrong]).filter(
      ({ violations }) => violations.length > 0,
    );
    expect(broken.map(({ strength }) => strength)).toContain('stated');
    expect(broken[0]?.requirement).toMatch(/^compute\.errors\./u);
  });

  test('of a router', () => {
    const answer = exchangeOf({
      contract: 'router',
      baseUrl: 'https://router.example.com',
      method: 'GET',
      url: 'https://router.example.com/v1/models',
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: '{"data":[]}',
    });
    const broken = judgeExchanges('router', [answer]).filter(
      ({ violations }) => violations.length > 0,
    );
    expect(broken.map(({ requirement }) => requirement).join()).toMatch(/request-id/u);
  });

  test('elsewhere than below the base URL are refused', () => {
    expect(() => exchangeOf({ ...seen, url: 'https://example.com/v1/instances' })).toThrow(
      /not below/u,
    );
  });
});

describe('a run as a function', () => {
  test('of a conforming server', async () => {
    const reference = await startCompute();
    const report = await runConformance(reference.target(), { section: 'regions', seed: 1 });
    await reference.close();
    expect(report.targets[0]?.summary.stated).toMatchObject({ failed: 0, error: 0 });
    expect(report.targets[0]?.summary.stated.passed).toBeGreaterThan(0);
  });

  test('of a broken one', async () => {
    const fault = computeFaults.find(({ aims, besides }) =>
      [aims, ...besides].includes('compute.regions.codes-exact'),
    );
    if (fault === undefined) throw new Error('no fault breaks the codes of the regions');
    const reference = await startCompute({ patch: fault.patch });
    const report = await runConformance(reference.target(), { section: 'regions', seed: 1 });
    await reference.close();
    expect(report.requirements.filter(({ verdict }) => verdict === 'failed')).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'compute.regions.codes-exact' })]),
    );
  });

  test('that nothing answers throws, and so does a selection of nothing', async () => {
    const unreachable = {
      contract: 'compute',
      baseUrl: 'http://127.0.0.1:1/v1',
      keys: { primary: 'some-key' },
    } as const;
    await expect(runConformance(unreachable)).rejects.toThrow(/could not be reached/u);
    await expect(runConformance(unreachable, { only: ['compute.regoins'] })).rejects.toThrow(
      /Did you mean/u,
    );
  });
});

describe('keys in memory', () => {
  test('may belong to a deployment elsewhere, unlike in a file', async () => {
    const elsewhere = {
      contract: 'compute',
      baseUrl: 'https://compute.invalid/v1',
      keys: { primary: 'some-key' },
    } as const;
    await expect(runConformance(elsewhere)).rejects.toThrow(
      /compute\.invalid could not be reached/u,
    );
  });
});

describe('a suite in this very project', async () => {
  let reference: ComputeReference;
  beforeAll(async () => {
    reference = await startCompute();
  });
  afterAll(async () => reference.close());

  await defineConformanceSuite(() => reference.target(), {
    contract: 'compute',
    section: 'regions',
    strict: true,
  });
});
