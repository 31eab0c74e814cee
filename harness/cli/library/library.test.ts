import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeFaults } from '../../reference/compute/faults/index.ts';
import {
  type ComputeOptions,
  type ComputeReference,
  startCompute,
} from '../../reference/compute/start.ts';
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
  /** The report of a run of the section `regions` against a server. */
  async function regionsOf(options?: ComputeOptions) {
    const reference = await startCompute(options);
    const report = await runConformance(reference.target(), { section: 'regions', seed: 1 });
    await reference.close();
    return report;
  }

  test('of a conforming server', async () => {
    const { targets } = await regionsOf();
    expect(targets[0]?.summary.stated).toMatchObject({ failed: 0, error: 0 });
    expect(targets[0]?.summary.stated.passed).toBeGreaterThan(0);
  });

  test('of a broken one', async () => {
    const id = 'compute.regions.codes-exact';
    const fault = computeFaults.find(({ aims }) => aims === id);
    if (fault === undefined) throw new Error('no fault breaks the codes of the regions');
    const { requirements } = await regionsOf({ patch: fault.patch });
    expect(requirements).toContainEqual(expect.objectContaining({ id, verdict: 'failed' }));
  });

  const unreachable = {
    contract: 'compute',
    // Unlike a file, an object in memory may contain keys for a remote host.
    baseUrl: 'https://compute.invalid/v1',
    keys: { primary: 'some-key' },
  } as const;

  test.for([
    ['that nothing answers', {}, /compute\.invalid could not be reached/u],
    ['of a selection of nothing', { only: ['compute.regoins'] }, /Did you mean/u],
  ] as const)('%s throws', async ([, options, says]) => {
    await expect(runConformance(unreachable, options)).rejects.toThrow(says);
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
