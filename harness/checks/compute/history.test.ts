import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { History } from '../../runner/recorder.ts';
import type { Fold } from '../universal.ts';
import { exchangeOf, type MadeExchange } from './exchange.test.support.ts';
import {
  computeFolds,
  describedAlike,
  ownersApart,
  requestIdFresh,
  runtimesRest,
  terminatedStays,
} from './history.ts';
import { type Shown, shownBy } from './operation.ts';
import { METER_LAG_MS } from './runs.ts';
import { LAG_MS } from './settling.ts';

/** What one check says of exchanges, one after the other. */
function said(fold: Fold<Shown>, exchanges: readonly Exchange[], most?: number) {
  const history = new History([fold], (exchange) => shownBy(exchange, {}), most);
  return exchanges.map((exchange) => {
    const [told] = history.judge(exchange);
    if (told === undefined) return 'vacuous';
    return told.judgement.violations.length > 0 ? 'violated' : 'held';
  });
}

/** A list of instances at a moment. */
function list(data: readonly object[], startedAt = 0, made: MadeExchange = {}): Exchange {
  return { ...exchangeOf({ body: { data }, ...made }), startedAt };
}

test('a check is pure: what is known decides, and not how often it was asked', () => {
  const shown = shownBy(list([{ instance_id: 'i', status: 'TERMINATED' }]), {});
  if (shown === undefined) throw new Error('a list is an operation of the contract');
  for (const { judge } of computeFolds) {
    expect(judge(shown, new Map())).toEqual(judge(shown, new Map()));
  }
});

describe('request ids', () => {
  const refusal = (request_id: string, sent: readonly [string, string][] = []) =>
    exchangeOf({ status: 404, body: { error: { request_id } }, requestHeaders: sent });

  test('are fresh, and that of one exchange is its own', () => {
    const first = refusal('a');
    const all = [first, first, refusal('b'), refusal('a')];
    expect(said(requestIdFresh, all)).toEqual(['held', 'held', 'held', 'violated']);
  });

  test('that the client chose say nothing', () => {
    const echoing = () => refusal('mine', [['X-Request-ID', 'mine']]);
    expect(said(requestIdFresh, [echoing(), echoing()])).toEqual(['vacuous', 'vacuous']);
  });

  test('are forgotten beyond the latest ones', () => {
    const all = ['a', 'b', 'c', 'c', 'a'].map((id) => refusal(id));
    expect(said(requestIdFresh, all, 2).slice(3)).toEqual(['violated', 'held']);
  });
});

describe('owners', () => {
  /** Pages, each told as the key that read it and the ids that it showed. */
  const pages = (...all: readonly string[]) =>
    said(
      ownersApart,
      all.map((one) => {
        const [ids = '', credential] = one.split(' ').toReversed();
        const page = list(ids.split('').map((instance_id) => ({ instance_id })));
        return { ...page, request: { ...page.request, credential } };
      }),
    );

  test.each([
    [
      ['vacuous', 'vacuous', 'held', 'held'],
      ['primary ab', 'primary ab', 'second cd', 'primary abe'],
    ],
    [
      ['vacuous', 'violated'],
      ['primary ab', 'second cb'],
    ],
    [
      ['vacuous', 'violated', 'held'],
      ['second cb', 'primary ab', 'second c'],
    ],
    // Whose other keys are is open.
    [
      ['vacuous', 'vacuous'],
      ['primary ab', 'forbidden a'],
    ],
  ])('%j for %j', (outcomes, all) => {
    expect(pages(...all)).toEqual(outcomes);
  });

  test('a request without a key says nothing', () => {
    expect(pages('a')).toEqual(['vacuous']);
  });
});

describe('descriptions', () => {
  /** Lists of one instance, each asked for when the one before had come unless told, in its regions. */
  const judged = (regions: string, everyMs = 10, status = (_index: number) => 'RUNNING') =>
    said(
      describedAlike,
      regions
        .split('')
        .map((region, index) =>
          list(
            [{ instance_id: 'i', status: status(index), region, cpu_count: 8 }],
            index * everyMs,
          ),
        ),
    );

  test('an instance that comes back to both descriptions is wrong', () => {
    expect(judged('UUU')).toEqual(['vacuous', 'held', 'held']);
    expect(judged('UFUFFU')).toEqual(['vacuous', 'held', 'held', 'violated', 'held', 'violated']);
  });

  test.each([
    ['was moved, and moved again', 'UUFFAAU', 10],
    ['was moved back once', 'UUFFUU', 10],
    ['may be shown before and after a move by lists that were asked for together', 'UFUFUFUF', 0.5],
  ])('one that %s is not', (_what, regions, everyMs) => {
    expect(judged(regions, everyMs)).not.toContain('violated');
  });

  test('what runs is not held against what has stopped', () => {
    const status = (index: number) => (index % 2 === 0 ? 'RUNNING' : 'STOPPED');
    expect(judged('U-U-U-U-', 10, status)).not.toContain('violated');
  });
});

describe('runtimes of stopped instances', () => {
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
  const growing = (second: number) => 3 + second / 3_600;

  test.each([
    ['violated', (second: number) => 3 + Math.floor(second / 36) / 100, {}],
    ['held', () => 3.01, {}],
    ['held', (second: number) => (second < 20 ? 3.01 : 3.05), {}],
  ])('%s', (outcome, hoursAt, change) => {
    const told = over(hoursAt, change).filter((one) => one !== 'vacuous');
    expect(told.includes('violated') ? 'violated' : told[0]).toBe(outcome);
  });

  test.each([{ status: 'RUNNING' }, { started_at: null }, { total_runtime_hours: 3 }])(
    'nothing is said of %j',
    (change) => {
      expect(new Set(over(growing, change))).toEqual(new Set(['vacuous']));
    },
  );
});

describe('what was terminated', () => {
  const judged = (states: readonly unknown[], everyMs = LAG_MS + 100) =>
    said(
      terminatedStays,
      states.map((status, index) =>
        list([{ instance_id: 'i', status }, { instance_id: 'j' }], index * everyMs),
      ),
    );

  test.each([
    [['RUNNING', 'TERMINATED', 'TERMINATED'], 'held'],
    [['TERMINATED', 'TERMINATING'], 'held'],
    [['TERMINATED', 'RUNNING'], 'violated'],
    [['TERMINATED', 'STOPPED'], 'violated'],
    [['TERMINATED', 'ERRORED'], 'violated'],
    [['TERMINATED', 'GONE', undefined], 'vacuous'],
  ])('%j: %s', (states, outcome) => {
    expect(judged(states).at(-1)).toBe(outcome);
  });

  test('a copy may be behind, and show what was before', () => {
    const states = ['TERMINATED', 'RUNNING', 'TERMINATING', 'TERMINATED'];
    expect(new Set(judged(states, LAG_MS / 4))).toEqual(new Set(['vacuous']));
  });

  test('a later page may be one of a walk that shows everything as it was when it began', () => {
    const page = (status: string, query: string, at: number) =>
      list([{ instance_id: 'i', status }], at, { query });
    const pages = [
      page('TERMINATED', 'size=2', 0),
      page('RUNNING', 'size=2&cursor=abc', 10 * LAG_MS),
      page('RUNNING', 'size=2', 10 * LAG_MS),
    ];
    expect(said(terminatedStays, pages)).toEqual(['vacuous', 'vacuous', 'violated']);
  });
});
