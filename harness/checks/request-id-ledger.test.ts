import { describe, expect, test } from 'vitest';
import { RequestIdLedger } from './request-id-ledger.ts';
import { freshRequestId } from './router/request-id.ts';
import { SAMPLE_ID, sampleExchange } from './router/sample-exchange.ts';

describe('a ledger of request ids', () => {
  test('tells who carried an id before, and not itself', () => {
    const ledger = new RequestIdLedger();
    const [first, second] = [sampleExchange(), sampleExchange()];
    expect(ledger.note('a', first)).toBeUndefined();
    expect(ledger.note('a', first)).toBeUndefined();
    expect(ledger.note('a', second)).toBe(first.id);
    expect(ledger.note('b', second)).toBeUndefined();
  });

  test('forgets the oldest beyond its size', () => {
    const ledger = new RequestIdLedger(2);
    for (const id of ['a', 'b', 'c']) ledger.note(id, sampleExchange());
    expect(ledger.note('c', sampleExchange())).toBeDefined();
    expect(ledger.note('a', sampleExchange())).toBeUndefined();
  });
});

describe('the request id of a router', () => {
  const carrying = (id: string | undefined, requestHeaders: readonly [string, string][] = []) =>
    sampleExchange({ headers: id === undefined ? [] : [['X-Request-ID', id]], requestHeaders });

  test('is fresh, in whatever case it is written', () => {
    const ledger = new RequestIdLedger();
    // The first id of all can be nothing but fresh.
    expect(freshRequestId(ledger, carrying(SAMPLE_ID)).seen).toBe(0);
    const other = carrying(SAMPLE_ID.replace('0', '1'));
    expect(freshRequestId(ledger, other)).toMatchObject({ seen: 1, violations: [] });
    expect(freshRequestId(ledger, carrying(SAMPLE_ID.toUpperCase())).violations).toHaveLength(1);
  });

  test('says nothing when it is missing, or when the client brought one', () => {
    const ledger = new RequestIdLedger();
    expect(freshRequestId(ledger, carrying(undefined)).seen).toBe(0);
    const brought = carrying(SAMPLE_ID, [['x-request-id', SAMPLE_ID]]);
    expect(freshRequestId(ledger, brought).seen).toBe(0);
    expect(freshRequestId(ledger, brought).seen).toBe(0);
  });
});
