import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, notObserved, violated } from '../../checks/judgement.ts';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { inTurn } from '../in-turn.test.support.ts';
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
  const next = inTurn(...values);
  const reads = async () => {
    const value = next();
    return { value, ids: [`${value}`], records: [], readable: value >= 0, exchanges: [] } as const;
  };
  return new WholeList<Numbers>({ signal: new AbortController().signal }, reads);
}

const REQUIREMENT = 'compute.list-instances.answers-200';

/** Passes when the response equals the list; says nothing when the list changed meanwhile. */
function equal(whole: { readonly before: Numbers; readonly after: Numbers }, other: number) {
  const same = whole.before.value === other;
  const judgement = same
    ? pass()
    : whole.before.value === whole.after.value
      ? violated('Another value.', { expected: whole.before.value, actual: other })
      : notObserved;
  return [{ requirement: REQUIREMENT, judgement }];
}

async function violations(list: WholeList<Numbers>, ...others: readonly number[]): Promise<number> {
  const next = inTurn(...others);
  const verdicts = await list.compare(async () => next(), equal);
  return verdicts.flatMap(({ judgement }) => judgement.violations).length;
}

test.for<readonly [string, WholeList<Numbers>, readonly number[], number]>([
  ['what agrees is taken as it is', changing(1), [1], 0],
  ['what is wrong each time is wrong', changing(1), [2], 1],
  ['what was wrong because the list had changed is not', changing(1, 2), [2], 0],
  ['what is wrong once and right again is not', changing(1), [2, 2, 1], 0],
  ['what a cache explains is not, since it is right later', changing(1), [0, 0, 1], 0],
])('%s', async ([, list, others, expected]) => {
  expect(await violations(list, ...others)).toBe(expected);
});

const restless = () => changing(...Array.from({ length: 80 }, (_, index) => index));
const apart = () => changing(...Array.from({ length: 80 }, (_, index) => index % 2));
const NEVER_STILL = 'changed during every comparison';

test.for<readonly [string, WholeList<Numbers>, number, string]>([
  ['a list that never holds still is inconclusive', restless(), 100, NEVER_STILL],
  ['replicas that are apart accuse nobody', apart(), 2, NEVER_STILL],
  ['a list that cannot be read is inconclusive', changing(-1), 1, 'cannot be read'],
])('%s', async ([, list, other, reason]) => {
  await expect(violations(list, other)).rejects.toThrow(reason);
});

test('what never comes to rest is not covered by what holds of the same requirement', async () => {
  const both = (whole: Parameters<typeof equal>[0], other: number) => [
    ...equal(whole, other),
    { requirement: REQUIREMENT, judgement: pass() },
  ];
  await expect(restless().compare(async () => 100, both)).rejects.toThrow(NEVER_STILL);
});

test('of one value of many, a list that never holds still says nothing', async () => {
  expect(await restless().compareOne(async () => 100, equal)).toEqual([]);
});

test('what was about something that is gone for good says nothing, and does not end the case', async () => {
  const gone = violated('Gone.', { expected: 1, actual: 'nothing' });
  const aboutTheFirst = ({ before }: { readonly before: Numbers }) => [
    { requirement: REQUIREMENT, judgement: before.value === 1 ? gone : notObserved },
  ];
  const verdicts = await changing(1, 2).compare(async () => 0, aboutTheFirst);
  expect(verdicts.map(({ judgement }) => judgement)).toEqual([notObserved]);
});

test.for<readonly [string, readonly string[], number]>([
  ['what is wrong for the same item after a lag is wrong', ['a', 'a', 'a', 'b'], 1],
  ['what is wrong for another item each time is not', ['a', 'a', 'b', 'c', 'd'], 0],
  ['what names no item counts as the same', ['x', 'x', 'y'], 1],
])('%s', async ([, wrongItems, expected]) => {
  const list = { ids: ['a', 'b', 'c', 'd'], records: [], readable: true, exchanges: [] };
  const whole = new WholeList({ signal: new AbortController().signal }, async () => list);
  const next = inTurn(...wrongItems);
  const verdicts = await whole.compareOne(
    async () => next(),
    (_, item) => [
      { requirement: REQUIREMENT, judgement: violated('Lost.', { expected: 4, actual: item }) },
    ],
  );
  expect(verdicts.flatMap(({ judgement }) => judgement.violations)).toHaveLength(expected);
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
  const last = async (mostPages: number) =>
    sharedList(session, 'instances', {}, { mostPages }).last();
  expect(await last(4)).toBeDefined();
  expect(await last(1)).toBeUndefined();
});

test('a reading that failed is nobody’s', async () => {
  const shared = sharedList({}, 'instances', {}, {});
  shared.keep(Promise.reject(new Error('budget')));
  expect(await shared.last()).toBeUndefined();
});
