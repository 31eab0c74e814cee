import { describe, expect, test } from 'vitest';
import { testCheck, testVerdicts } from '../verdict.test.support.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
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

const stop = (change: Readonly<Record<string, unknown>> = {}, status = 202) =>
  exchangeOf({ method: 'POST', path: '/instances/i/stop', status, body: actionRecord(change) });

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

  testCheck(
    'in use while it ran, and once it stopped',
    ([before, after, status = 'STOPPED']: readonly [number, unknown, string?]) =>
      useKept(used(before), used(after, status)),
    {
      held: [
        [12.5, 12.5],
        [12.5, 3],
      ],
      broken: [[12.5, 0]],
      unseen: [
        [12.5, 0, 'RUNNING'],
        [0.2, 0],
        [12.5, 'none'],
      ],
    },
  );

  testCheck(
    'in use before and after a stop of what is stopped',
    ([before, after]: readonly [unknown, unknown]) => useRests(used(before), used(after)),
    {
      held: [
        [12.5, 12.5],
        [12.5, 9],
      ],
      broken: [[12.5, 6.25]],
      unseen: [
        [0.2, 0.1],
        [12.5, 0],
        [12.5, 'none'],
      ],
    },
  );

  /** Storage in use, disk in the response to a stop, and storage in the response to a terminate, as `12.5/500/500`. */
  testCheck(
    'is not what is in use in the answer to a terminate',
    (row: string) => {
      const [inUse, size, shown] = row.split('/').map(Number);
      return terminateShowsNoUse(used(inUse).record, disk(size), disk(shown));
    },
    {
      held: ['12.5/500/500', '12.5/500/400'],
      broken: ['12.5/500/12.5'],
      unseen: ['500/500/500', '12.5/500/0', '12.5/500/none'],
    },
  );

  /** Storage in use and disk, as `12.5/500`. */
  testCheck(
    'is not what is in use',
    (row: string) => {
      const figures = row.split(' ').filter((one) => one !== '');
      const sights = figures.map((one) => {
        const [inUse = 0, size = 0] = one.split('/').map(Number);
        return { used: inUse, disk: size, exchange: exchangeOf() };
      });
      return showsNoUse(sights, new Set([100, 500]));
    },
    {
      held: ['12.5/500 30/500', '12.5/12.5 30/100', '500/500 12.5/12.5'],
      broken: ['12.5/12.5 30/30'],
      unseen: ['12/12 30/30', '12.5/12.5', ''],
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
