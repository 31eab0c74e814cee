import { expect, test } from 'vitest';
import { DescriptionLedger } from './description-ledger.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** Lists of one instance, each asked for when the one before had come unless told, in its regions. */
function judged(
  regions: string,
  { status = (_index: number): string => 'RUNNING', everyMs = 10 } = {},
) {
  const ledger = new DescriptionLedger();
  return regions.split('').map((region, index) => {
    const exchange = { ...exchangeOf(), startedAt: index * everyMs, durationMs: 5 };
    const record = { instance_id: 'i', status: status(index), region, size: 'big', cpu_count: 8 };
    return outcomeOf(ledger.listed(exchange, [record]));
  });
}

test('an instance that every list describes alike is right, from the second one on', () => {
  expect(judged('UUU')).toEqual(['vacuous', 'held', 'held']);
});

test('one that comes back to both descriptions is wrong', () => {
  expect(judged('UFUFFU')).toEqual(['vacuous', 'held', 'held', 'violated', 'held', 'violated']);
});

test('one that was moved, moved again, or moved back once is not', () => {
  expect(judged('UUFFAAU')).not.toContain('violated');
  expect(judged('UUFFUU')).not.toContain('violated');
});

test('lists that were asked for at the same time may show an instance before and after a move', () => {
  expect(judged('UFUFUFUF', { everyMs: 1 })).not.toContain('violated');
});

test('what an instance has while it runs is not held against what it has when it has stopped', () => {
  const status = (index: number) => (index % 2 === 0 ? 'RUNNING' : 'STOPPED');
  expect(judged('U-U-U-U-', { status })).not.toContain('violated');
});

test('an instance without an id, and a page without instances, show nothing', () => {
  const ledger = new DescriptionLedger();
  expect(outcomeOf(ledger.listed(exchangeOf(), [{}, {}]))).toBe('vacuous');
  expect(outcomeOf(ledger.listed(exchangeOf(), []))).toBe('vacuous');
});
