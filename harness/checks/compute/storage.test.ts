import { describe, expect, test } from 'vitest';
import { testCheck, testFigures, testRows, testVerdicts } from '../verdict.test.support.ts';
import { exchangeOf, listRecord, stopAnswer as stop } from './exchange.test.support.ts';
import {
  diskKept,
  sameDisk,
  showsNoUse,
  showsUse,
  storageIn,
  terminateShowsNoUse,
  useKept,
  useRests,
  withinDisk,
} from './storage.ts';

describe('the disk', () => {
  const disk = (storage: unknown, status = 202) => stop({ storage_used_gb: storage }, status);
  const used = (storage: unknown, status = 'RUNNING') => ({
    record: listRecord({ storage_used_gb: storage, status }),
    exchange: exchangeOf(),
  });
  const same = (before: unknown, after: ReturnType<typeof disk>) =>
    sameDisk(disk(before), after, 'by a start');
  const kept = (before: unknown, after: unknown) => diskKept(used(before).record, disk(after));
  testVerdicts([
    ['stays the same', 'held', same(500, disk(500))],
    ['changes', 'broken', same(500, disk(0))],
    ['is not told', 'unseen', same('much', disk(500)), same(500, disk(500, 409))],
    ['has room for what was in use', 'held', kept(100, 500), kept(107, 100)],
    ['has none', 'broken', kept(100, 0)],
    ['was hardly in use, or is not told', 'unseen', kept(0, 0), kept('much', 0), kept(100, 'much')],
    ['is not less than what is in use', 'held', withinDisk(listRecord(), stop())],
    ['is less', 'broken', withinDisk(used(1_001).record, stop())],
    ['is in no list', 'unseen', withinDisk({}, stop())],
  ]);

  testFigures(
    'in use while it ran, and once it stopped',
    (before, after) => useKept(used(before), used(after, 'STOPPED')),
    { held: ['12.5,12.5', '12.5,3'], broken: ['12.5,0'], unseen: ['0.2,0', '12.5,none'] },
  );
  testVerdicts([['in use while it runs', 'unseen', useKept(used(12.5), used(0))]]);

  testFigures(
    'in use before and after a stop of what is stopped',
    (before, after) => useRests(used(before), used(after)),
    {
      held: ['12.5,12.5', '12.5,9'],
      broken: ['12.5,6.25'],
      unseen: ['0.2,0.1', '12.5,0', '12.5,none'],
    },
  );

  testFigures(
    'in use, disk in the answer to a stop, and what the answer to a terminate shows',
    (inUse, size, shown) => terminateShowsNoUse(used(inUse).record, disk(size), disk(shown)),
    {
      held: ['12.5,500,500', '12.5,500,400'],
      broken: ['12.5,500,12.5'],
      unseen: ['500,500,500', '12.5,500,0', '12.5,500,-'],
    },
  );

  testRows(
    'in use and disk of several, as `12.5/500`',
    (...instances) => {
      const sights = instances.flatMap((one) => {
        const [inUse = 0, size = 0] = one.split('/').map(Number);
        return one === '' ? [] : [{ used: inUse, disk: size, exchange: exchangeOf() }];
      });
      return showsNoUse(sights, new Set([100, 500]));
    },
    {
      held: ['12.5/500,30/500', '12.5/12.5,30/100', '500/500,12.5/12.5'],
      broken: ['12.5/12.5,30/30'],
      unseen: ['12/12,30/30', '12.5/12.5', ''],
    },
  );

  /** What listed instances of a preset with a disk of 500 GB show. */
  testCheck(
    'is not what lists show',
    (row: string) =>
      showsUse({
        records: row
          .split(' ')
          .map((one) => listRecord({ size: 'a', storage_used_gb: Number(one) })),
        presets: [{ name: 'a', storage: 500 }],
        bindings: { presets: { fields: { sku: 'name', storage: 'storage' } } },
        skus: new Set(['a']),
        locations: new Set(),
        exchanges: [],
      }),
    {
      held: ['500 500 500 500 12.5', '500 0 12.5 30 30 30'],
      broken: ['500 500 500 500 500', '500 500 0 500 500 500'],
      unseen: ['500 500 500 500', '0 0 0 0 500 500', 'none none none none none'],
    },
  );

  test('both figures of an instance are needed', () => {
    const [both] = storageIn(used(3).record, disk(500));
    expect(both).toMatchObject({ used: 3, disk: 500 });
    expect(storageIn(used(null).record, disk(500))).toEqual([]);
    expect(storageIn(listRecord(), disk(500, 409))).toEqual([]);
  });
});
