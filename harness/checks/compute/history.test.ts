import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { History, type Fold } from '../universal.ts';
import { outcomeOf } from '../verdict.test.support.ts';
import { exchangeOf, type MadeExchange } from './exchange.test.support.ts';
import {
  computeFolds,
  describedAlike,
  keyStays,
  listsInTheirWay,
  ownersApart,
  requestIdFresh,
  terminatedStays,
} from './history.ts';
import { costsOfRuns, runtimesRest } from './meters.ts';
import { type Shown, shownBy } from './operation.ts';
import { staysListed } from './scoping.ts';
import { METER_LAG_MS } from './runs.ts';
import { LAG_MS } from './settling.ts';

/** What one check says of consecutive exchanges. */
function said(fold: Fold<Shown>, exchanges: readonly Exchange[], most?: number) {
  const history = new History([fold], (exchange) => shownBy(exchange, {}), most);
  const verdicts = exchanges.map((exchange) => {
    const [verdict] = history.judge(exchange);
    return verdict === undefined ? 'unseen' : outcomeOf(verdict.judgement);
  });
  return verdicts.join(' ');
}

/** A list of instances at a moment. */
function list(data: readonly object[], startedAt = 0, made: MadeExchange = {}): Exchange {
  return { ...exchangeOf({ body: { data }, ...made }), startedAt };
}

/** Lists of instances with ids of one letter, each after the key that reads it: `primary ab, second c`. */
function pagesBy(pages: string): readonly Exchange[] {
  return pages.split(', ').map((one) => {
    const [ids = '', credential] = one.split(' ').toReversed();
    const page = list(Array.from(ids, (instance_id) => ({ instance_id })));
    return { ...page, request: { ...page.request, credential } };
  });
}

test('a check is pure: what is known decides, and not how often it was asked', () => {
  const shown = shownBy(list([{ instance_id: 'i', status: 'TERMINATED' }]), {});
  if (shown === undefined) throw new Error('a list is an operation of the contract');
  for (const { judge } of computeFolds) {
    expect(judge(shown, new Map())).toEqual(judge(shown, new Map()));
  }
});

describe('request ids', () => {
  const refusal = (request_id: string, requestHeaders: readonly [string, string][] = []) =>
    exchangeOf({ status: 404, body: { error: { request_id } }, requestHeaders });

  test('are fresh, and that of one exchange is its own', () => {
    const first = refusal('a');
    const all = [first, first, refusal('b'), refusal('a')];
    expect(said(requestIdFresh, all)).toBe('held held held broken');
    // Old entries are forgotten.
    const many = ['a', 'b', 'c', 'c', 'a'].map((id) => refusal(id));
    expect(said(requestIdFresh, many, 2)).toBe('held held held broken held');
  });

  test('that the client chose say nothing', () => {
    const echoing = () => refusal('mine', [['X-Request-ID', 'mine']]);
    expect(said(requestIdFresh, [echoing(), echoing()])).toBe('unseen unseen');
  });
});

test.for([
  ['primary ab, primary ab, second cd, primary abe', 'unseen unseen held held'],
  ['primary ab, second cb', 'unseen broken'],
  ['second cb, primary ab, second c', 'unseen broken held'],
  // The owners of other keys are open, and a request without a key is not judged.
  ['primary ab, forbidden a', 'unseen unseen'],
  ['a', 'unseen'],
] as const)('pages by the key that read them: %s: %s', ([pages, verdicts]) => {
  expect(said(ownersApart, pagesBy(pages))).toBe(verdicts);
});

test.for([
  ['primary 200, primary 404, primary 401, primary 200', 'unseen held broken held'],
  ['primary 200, second 401, second 200, second 401', 'unseen unseen unseen broken'],
  ['primary 401, primary 403, none 200, none 401', 'unseen unseen unseen unseen'],
] as const)('answers to keys, one after the other: %s: %s', ([answers, verdicts]) => {
  const exchanges = answers.split(', ').map((one) => {
    const [key = '', status] = one.split(' ');
    const exchange = exchangeOf({ status: Number(status) });
    const credential = key === 'none' ? undefined : key;
    return { ...exchange, request: { ...exchange.request, credential } };
  });
  expect(said(keyStays, exchanges)).toBe(verdicts);
});

test('however many instances a list shows, no more of them are remembered than may be', () => {
  const pages = pagesBy('primary abcd, second a');
  expect([said(ownersApart, pages), said(ownersApart, pages, 2)]).toEqual([
    'unseen broken',
    'unseen unseen',
  ]);
});

test('an instance that lists go on showing is not forgotten for new ones', () => {
  const pages = pagesBy(
    'primary a, primary b, primary a, primary c, primary a, primary d, second a',
  );
  expect(said(ownersApart, pages, 3)).toMatch(/^(unseen ){6}broken$/u);
});

describe('lists of one instance in its regions', () => {
  /** Each request starts later than a replica may lag behind the previous response unless told otherwise. */
  const judged = (regions: string, everyMs = LAG_MS + 100, states = ['RUNNING']) =>
    said(
      describedAlike,
      Array.from(regions, (region, index) =>
        list(
          [{ instance_id: 'i', status: states[index % states.length], region, cpu_count: 8 }],
          index * everyMs,
        ),
      ),
    );

  test('describe it alike, and do not come back to both descriptions', () => {
    expect(judged('UUU')).toBe('unseen held held');
    expect(judged('UFUFFU')).toBe('unseen held held broken held broken');
  });

  test.for([
    ['was moved, and moved again', 'UUFFAAU', undefined, ['RUNNING']],
    ['was moved back once', 'UUFFUU', undefined, ['RUNNING']],
    ['was moved, behind a replica that lags', 'UFUFUFFFF', LAG_MS / 5, ['RUNNING']],
    ['was moved while lists were asked for together', 'UFUFUFUF', 0.5, ['RUNNING']],
    ['has stopped, and runs', 'U-U-U-U-', undefined, ['RUNNING', 'STOPPED']],
  ] as const)('say nothing against one that %s', ([, regions, everyMs, states]) => {
    expect(judged(regions, everyMs, [...states])).not.toContain('broken');
  });
});

/** `>A` is the answer to a stop, and every other one a list. */
test.each([
  ['>A U U A', 'unseen unseen held broken'],
  ['>A U >A A', 'unseen unseen unseen broken'],
  ['>A A U', 'unseen unseen unseen'],
  ['>A U >B A', 'unseen unseen unseen unseen'],
])('an instance of the sizes %s', (sizes, verdicts) => {
  const exchanges = sizes.split(' ').map((size, at) => {
    const record = { instance_id: 'i', size: size.slice(-1) };
    const answer = { method: 'POST', path: '/instances/i/stop', body: record };
    return list([record], at * 10, size.startsWith('>') ? answer : {});
  });
  expect(said(listsInTheirWay, exchanges)).toBe(verdicts);
});

describe('the runtime of a stopped instance', () => {
  const over = (hoursAt: (second: number) => number, change: object = {}) =>
    said(
      runtimesRest,
      [0, 20, 60, 100, 140].map((second) => {
        const started_at = '2026-11-20T10:00:00Z';
        const total_runtime_hours = hoursAt(second);
        const record = { instance_id: 'i', status: 'STOPPED', started_at, total_runtime_hours };
        return list([{ ...record, ...change }], second * 1_000 + METER_LAG_MS);
      }),
    );

  test('rests, but for the end of its run', () => {
    expect(over((second) => 3 + Math.floor(second / 36) / 100)).toContain('broken');
    for (const judged of [over(() => 3.01), over((second) => (second < 20 ? 3.01 : 3.05))]) {
      expect(judged).toContain('held');
      expect(judged).not.toContain('broken');
    }
  });

  test.for([{ status: 'RUNNING' }, { started_at: null }, { total_runtime_hours: 3 }])(
    'says nothing with %j',
    (change) => {
      expect(over((second) => 3 + second / 3_600, change)).not.toMatch(/held|broken/u);
    },
  );
});

test.for([
  [[20, 200, 20, 200], 10, 'broken'],
  [[20, 200, 20], 10, 'held'],
  [[20, 25, 20, 25], 10, 'held'],
  // A meter may lag behind the start.
  [[200, 200], 0.5, ''],
] as const)('of lists with the costs %j after %d hours: %s', ([costs, hours, expected]) => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  const started_at = new Date(now - hours * 3_600_000).toISOString();
  const run = { status: 'RUNNING', started_at, hourly_rate: 2, total_cost_incurred: 200 };
  const lists = costs.map((current_cost, at) =>
    list([{ instance_id: 'i', ...run, current_cost, total_runtime_hours: 100 }], now + at),
  );
  const verdicts = said(costsOfRuns, lists);
  expect(verdicts.includes('broken')).toBe(expected === 'broken');
  expect(verdicts.includes('held')).toBe(expected !== '');
});

describe('what was terminated', () => {
  const judged = (states: readonly unknown[], everyMs = LAG_MS + 100) =>
    said(
      terminatedStays,
      states.map((status, index) =>
        list([{ instance_id: 'i', status }, { instance_id: 'j' }], index * everyMs),
      ),
    );

  test.for([
    [['RUNNING', 'TERMINATED', 'TERMINATED'], 'unseen unseen held'],
    [['TERMINATED', 'TERMINATING'], 'unseen held'],
    [['TERMINATED', 'RUNNING'], 'unseen broken'],
    [['TERMINATED', 'STOPPED'], 'unseen broken'],
    [['TERMINATED', 'ERRORED'], 'unseen broken'],
    [['TERMINATED', 'GONE', undefined], 'unseen unseen unseen'],
  ] as const)('%j: %s', ([states, verdicts]) => {
    expect(judged(states)).toBe(verdicts);
  });

  test('may be shown as before by a copy, and by a later page of a walk', () => {
    const states = ['TERMINATED', 'RUNNING', 'TERMINATING', 'TERMINATED'];
    expect(judged(states, LAG_MS / 4)).not.toMatch(/held|broken/u);
    const page = (status: string, query: string, at: number) =>
      list([{ instance_id: 'i', status }], at, { query });
    const pages = [
      page('TERMINATED', 'size=2', 0),
      page('RUNNING', 'size=2&cursor=abc', 10 * LAG_MS),
      page('RUNNING', 'size=2', 10 * LAG_MS),
    ];
    expect(said(terminatedStays, pages)).toBe('unseen unseen broken');
  });
});

describe('lists of what lives', () => {
  /** Lists that show one instance in these states, or lack it where the state is empty, each long after the one before. */
  const judged = (states: string, next: string | null = null, query = 'size=200') =>
    said(
      staysListed,
      states.split(',').map((status, index) => {
        const data = status === '' ? [] : [{ instance_id: 'i', status }];
        const body = { data: [...data, { instance_id: 'j' }], pagination: { next, size: 200 } };
        return list([], 2 * index * LAG_MS, { body, query });
      }),
    );

  test.for([
    ['RUNNING,STOPPED', 'unseen held'],
    ['RUNNING,,,STOPPED', 'unseen unseen unseen broken'],
    ['RUNNING,,STOPPED', 'unseen unseen held'],
    ['RUNNING,,,TERMINATED', 'unseen unseen unseen unseen'],
    ['TERMINATED,,,TERMINATED', 'unseen unseen unseen unseen'],
    [',,RUNNING', 'unseen unseen unseen'],
  ] as const)('%s: %s', ([states, verdicts]) => {
    expect(judged(states)).toBe(verdicts);
  });

  test('say nothing where they go on, or are parts', () => {
    const told = 'RUNNING,,,STOPPED';
    expect(judged(told, 'more')).not.toContain('broken');
    expect(judged(told, null, 'size=200&status=running')).not.toContain('broken');
  });
});
