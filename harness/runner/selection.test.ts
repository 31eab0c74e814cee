import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { profilesOf, requirementsOf } from '../../schemas/contracts.ts';
import { fixturesOf } from './case.ts';
import { type ShardedCase, shardOf, plannedCases, plannedSelection } from './selection.ts';

const other = { judges: ['compute.terminate-instance.running-accepted'] } as const;

describe('a plan', () => {
  test('without any restriction selects the whole contract', () => {
    const { requirements } = plannedSelection('router', { only: [] });
    expect(requirements.size).toBe(requirementsOf('router').length);
  });

  test('with a profile selects what the profile asks for', () => {
    const { requirements } = plannedSelection('compute', { only: [], profile: 'read-only' });
    expect([...requirements]).toEqual(profilesOf('compute')[0]?.requirements);
    expect(requirements.size).toBeLessThan(requirementsOf('compute').length);
  });

  test('with a profile and a section selects what both ask for', () => {
    const plan = { only: [], profile: 'read-only', section: 'terminate-instance' };
    expect(plannedSelection('compute', plan).requirements).not.toContain(other.judges[0]);
  });

  test('of what is judged on every exchange alone takes every case, and not where cases judge it too', () => {
    const every = plannedSelection('compute', { only: ['compute.errors.envelope'] });
    expect(every.includes(other)).toBe(true);
    const regions = plannedSelection('compute', { only: ['compute.regions.codes-exact'] });
    expect(regions.includes(other)).toBe(false);
    expect(regions.includes({ judges: ['compute.regions.codes-exact'] })).toBe(true);
  });

  test('of a section takes its cases, and every case where it is about every answer', () => {
    const own = { judges: ['compute.presets.sku-exact'] } as const;
    for (const plan of [{ only: [], section: 'presets' }, { only: ['compute.presets'] }]) {
      const presets = plannedSelection('compute', plan);
      expect(presets.requirements).toContain('compute.presets.items-array');
      expect([presets.includes(own), presets.includes(other)]).toEqual([true, false]);
    }
    const errors = plannedSelection('compute', { only: [], section: 'errors' });
    expect(errors.includes(other)).toBe(true);
  });

  test('with the name of a case, as a report gives it, takes that case alone', () => {
    const judges = ['compute.presets.sku-exact'] as const;
    const cases = ['one', 'two'].map((title) => ({ title, judges, run: async () => undefined }));
    const taken = plannedCases([{ contract: 'compute', name: 'presets', cases }], 'compute', {
      only: ['compute.errors.envelope'],
      cases: ['compute/presets › two'],
    });
    expect(taken.map(({ one }) => one.title)).toEqual(['two']);
  });

  test('with a profile of the other contract selects nothing', () => {
    expect(plannedSelection('compute', { only: [], profile: 'client' }).requirements.size).toBe(0);
  });
});

const fixtures = ['models.pair', 'models.shed', 'keys.serverless', 'models.maxInflight'] as const;
const fixture = fc.constantFrom(...fixtures);
const cases = fc.array(
  fc.record({
    judges: fc.constant<[string, ...string[]]>(['router.codes.some']),
    isolation: fc.oneof(
      fc.constant('target' as const),
      fc.record({ fixtures: fc.array(fixture, { maxLength: 2 }) }),
    ),
    requests: fc.integer({ min: 1, max: 50 }).map((n): [number, number] => [n, n]),
  }),
  { maxLength: 20 },
);

const shardsOf = (list: readonly ShardedCase[], count: number) =>
  Array.from({ length: count }, (_, at) =>
    shardOf({ index: at + 1, count }, list, requirementsOf('router')),
  );

test('every case is dealt to exactly one shard', () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 6 }), (list, count) => {
      const shards = shardsOf(list, count);
      for (const one of list) expect(shards.filter((shard) => shard.has(one))).toHaveLength(1);
    }),
  );
});

test('cases that want the same fixture, or the target, for themselves are in one shard', () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 2, max: 6 }), (list, count) => {
      const shards = shardsOf(list, count);
      const shardWith = (one: ShardedCase): number => shards.findIndex((shard) => shard.has(one));
      const together = (pick: (one: ShardedCase) => boolean): number =>
        new Set(list.filter(pick).map(shardWith)).size;
      expect(together(({ isolation }) => isolation === 'target')).toBeLessThanOrEqual(1);
      for (const name of ['models.pair', 'keys.serverless']) {
        expect(together((one) => fixturesOf(one).includes(name))).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a case that needs what another has for itself goes with it, also when it names a part of it', () => {
  const judges: [string, ...string[]] = ['router.codes.some'];
  const list: readonly ShardedCase[] = [
    { judges, isolation: { fixtures: ['models.capped'] } },
    { judges },
    { judges, needs: ['models.capped.imagesMax'] },
    { judges },
  ];
  const [first, , third] = list;
  const both = shardsOf(list, 2).filter((shard) =>
    [first, third].every((each) => each && shard.has(each)),
  );
  expect(both).toHaveLength(1);
});

test('equal cases make equal shards', () => {
  const list = Array.from({ length: 12 }, () => ({ judges: ['router.codes.some'] as const }));
  expect(shardsOf(list, 4).map((shard) => shard.size)).toEqual([3, 3, 3, 3]);
});
