import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, notObserved, violated } from '../../checks/judgement.ts';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Listing } from './reading.ts';
import { instancesChange, sharedList, WholeList } from './whole-list.ts';

/** Lets pauses take no time. */
let clock: NodeJS.Timeout;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  clock = setInterval(() => vi.runAllTimers(), 1);
});

afterEach(() => {
  clearInterval(clock);
  vi.useRealTimers();
});

interface Numbers {
  readonly value: number;
  readonly ids: readonly string[];
  readonly records: readonly [];
  readonly readable: boolean;
  readonly exchanges: readonly [];
}

/** A list whose reads give these values in turn, and then the last one. */
function changing(...values: readonly number[]): WholeList<Numbers> {
  return changed(false, ...values);
}

function changed(hasChanged: boolean, ...values: readonly number[]): WholeList<Numbers> {
  let read = 0;
  let unchangedMs = hasChanged ? 0 : Infinity;
  const shared = {
    last: async () => undefined,
    keep: () => {},
    unchangedMs: () => (unchangedMs += 5_000) - 5_000,
  };
  const reads = async () => {
    const value = values[Math.min(read, values.length - 1)] ?? 0;
    read += 1;
    return { value, ids: [`${value}`], records: [], readable: value >= 0, exchanges: [] } as const;
  };
  return new WholeList<Numbers>({ signal: new AbortController().signal }, reads, shared);
}

/** Passes when the response equals the list; says nothing when the list changed meanwhile. */
function equal(whole: { readonly before: Numbers; readonly after: Numbers }, other: number) {
  const same = whole.before.value === other;
  const judgement = same
    ? pass()
    : whole.before.value === whole.after.value
      ? violated('Another value.', { expected: whole.before.value, actual: other })
      : notObserved;
  return [{ requirement: 'compute.list-instances.answers-200' as const, judgement }];
}

async function violations(list: WholeList<Numbers>, ...others: readonly number[]): Promise<number> {
  let taken = 0;
  const verdicts = await list.compare(async () => {
    taken += 1;
    return others[Math.min(taken, others.length) - 1] ?? 0;
  }, equal);
  return verdicts.flatMap(({ judgement }) => judgement.violations).length;
}

test('what agrees is taken as it is', async () => {
  expect(await violations(changing(1), 1)).toBe(0);
});

test('what is wrong each time is wrong', async () => {
  expect(await violations(changing(1), 2)).toBe(1);
});

test('what was wrong because the list had changed is not', async () => {
  expect(await violations(changing(1, 2), 2)).toBe(0);
});

test('what is wrong once and right again is not', async () => {
  expect(await violations(changing(1), 2, 2, 1)).toBe(0);
});

test('a list that never holds still is inconclusive', async () => {
  const list = changing(...Array.from({ length: 80 }, (_, index) => index));
  await expect(violations(list, 100)).rejects.toThrow('changed during every comparison');
});

test('replicas that are apart accuse nobody', async () => {
  const list = changing(...Array.from({ length: 80 }, (_, index) => index % 2));
  await expect(violations(list, 2)).rejects.toThrow('changed during every comparison');
});

test('what never comes to rest is not covered by what holds of the same requirement', async () => {
  const list = changing(...Array.from({ length: 80 }, (_, index) => index));
  const both = (whole: Parameters<typeof equal>[0], other: number) => [
    ...equal(whole, other),
    { requirement: 'compute.list-instances.answers-200' as const, judgement: pass() },
  ];
  await expect(list.compare(async () => 100, both)).rejects.toThrow(
    'changed during every comparison',
  );
});

test('a list that cannot be read is inconclusive', async () => {
  await expect(violations(changing(-1), 1)).rejects.toThrow('cannot be read');
});

test('of one value of many, a list that never holds still says nothing', async () => {
  const list = changing(...Array.from({ length: 80 }, (_, index) => index));
  expect(await list.compareOne(async () => 100, equal)).toEqual([]);
});

test('what was about something that is gone for good says nothing, and does not end the case', async () => {
  const list = changing(1, 2);
  const aboutTheFirst = ({ before }: { readonly before: Numbers }) => [
    {
      requirement: 'compute.list-instances.answers-200' as const,
      judgement:
        before.value === 1 ? violated('Gone.', { expected: 1, actual: 'nothing' }) : notObserved,
    },
  ];
  const verdicts = await list.compare(async () => 0, aboutTheFirst);
  expect(verdicts.map(({ judgement }) => judgement)).toEqual([notObserved]);
});

test.each([
  ['two brackets convince', false, 1],
  ['after a change of our own a cache may be behind: a third one must show it later', true, 0],
])('%s', async (_name, hasChanged, expected) => {
  expect(await violations(changed(hasChanged, 1), 0, 0, 0, 1)).toBe(expected);
});

const read = (pages: number, end: Listing['end']): Listing => ({
  ids: [],
  records: [],
  exchanges: Array.from({ length: pages }, () => exchangeOf({ body: {} })),
  end,
  readable: true,
});

test('what one case read of the presets stays, and of the instances until one of them is acted on', async () => {
  const session = {};
  for (const what of ['instances', 'presets'] as const) {
    sharedList(session, what, {}, {}).keep(Promise.resolve(read(1, 'last-page')));
    expect(await sharedList(session, what, {}, {}).last()).toBeDefined();
    expect(await sharedList(session, what, { region: 'US' }, {}).last()).toBeUndefined();
    expect(await sharedList({}, what, {}, {}).last()).toBeUndefined();
  }
  instancesChange(session);
  expect(await sharedList(session, 'instances', {}, {}).last()).toBeUndefined();
  expect(await sharedList(session, 'presets', {}, {}).last()).toBeDefined();
});

test('a list that goes on is good for those alone who want as many pages', async () => {
  const session = {};
  const { keep } = sharedList(session, 'instances', {}, { mostPages: 4 });
  keep(Promise.resolve(read(4, 'limit')));
  expect(await sharedList(session, 'instances', {}, { mostPages: 4 }).last()).toBeDefined();
  expect(await sharedList(session, 'instances', {}, { mostPages: 1 }).last()).toBeUndefined();
});

test('a reading that failed is nobody’s', async () => {
  const shared = sharedList({}, 'instances', {}, {});
  shared.keep(Promise.reject(new Error('budget')));
  expect(await shared.last()).toBeUndefined();
});
