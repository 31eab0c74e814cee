import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { requirementsOf } from '../../schemas/contracts.ts';
import { dealtTo, type DealtCase } from './shards.ts';

const fixture = fc.constantFrom(
  'models.pair',
  'models.shed',
  'keys.serverless',
  'models.maxInflight',
);
const cases = fc.array(
  fc.record({
    judges: fc.constant<[string, ...string[]]>(['router.codes.some']),
    exclusive: fc.array(fixture, { maxLength: 2 }),
    alone: fc.boolean(),
    requests: fc.integer({ min: 1, max: 50 }),
  }),
  { maxLength: 20 },
);

function shardsOf(list: readonly DealtCase[], count: number): readonly ReadonlySet<DealtCase>[] {
  return Array.from({ length: count }, (_, at) =>
    dealtTo({ index: at + 1, count }, list, requirementsOf('router')),
  );
}

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
      const shardOf = (one: DealtCase): number => shards.findIndex((shard) => shard.has(one));
      const together = (pick: (one: DealtCase) => boolean): number =>
        new Set(list.filter(pick).map(shardOf)).size;
      expect(together(({ alone }) => alone === true)).toBeLessThanOrEqual(1);
      for (const name of ['models.pair', 'keys.serverless']) {
        expect(together(({ exclusive }) => exclusive?.includes(name) === true)).toBeLessThanOrEqual(
          1,
        );
      }
    }),
  );
});

test('a case that needs what another has for itself goes with it, also when it names a part of it', () => {
  const judges: [string, ...string[]] = ['router.codes.some'];
  const list: readonly DealtCase[] = [
    { judges, exclusive: ['models.capped'] },
    { judges },
    { judges, needs: ['models.capped.imagesMax'] },
    { judges },
  ];
  const [one, other] = shardsOf(list, 2);
  const [first, , third] = list;
  const both = [one, other].filter((shard) =>
    [first, third].every((each) => each && shard?.has(each)),
  );
  expect(both).toHaveLength(1);
});

test('equal cases make equal shards', () => {
  const list = Array.from({ length: 12 }, () => ({ judges: ['router.codes.some'] as const }));
  expect(shardsOf(list, 4).map((shard) => shard.size)).toEqual([3, 3, 3, 3]);
});
