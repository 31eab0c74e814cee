import { expect, it } from 'vitest';
import { type HitSpan, mostAtOnce, mostBesideAll } from './at-once.ts';
import { sampleExchange } from './sample-exchange.ts';

const span = (at: number, endedAt: number | null, end: HitSpan['end'] = 'answered'): HitSpan => ({
  at,
  endedAt,
  end: endedAt === null ? 'open' : end,
});

it.each<[string, readonly HitSpan[], number]>([
  ['none', [], 0],
  ['one that goes on', [span(5, null)], 1],
  ['two that go on', [span(5, null), span(6, null)], 2],
  ['one after the other', [span(5, 9), span(9, 12), span(12, null)], 1],
  ['two that cross', [span(5, 9), span(8, 12), span(12, null)], 2],
  ['one that comes while another is being left', [span(5, 2_000, 'left'), span(1_990, null)], 1],
  ['one that comes long before another is left', [span(5, 2_000, 'left'), span(1_000, null)], 2],
  ['one that comes while another is dropped', [span(5, 2_000, 'dropped'), span(1_990, null)], 2],
])('%s', (_name, hits, most) => {
  expect(mostAtOnce(hits)).toBe(most);
});

it('counts nobody who came once what filled the places had ended, though an engine still works on it', () => {
  const filling = [{ ...sampleExchange({ startedAt: 0 }), durationMs: 6_000 }];
  const comesAt = (at: number) => mostBesideAll([span(5, null), span(at, null)], filling);
  expect(comesAt(5_000)).toBe(2);
  expect(comesAt(6_000)).toBe(1);
});

it('counts what fills the places, however soon it was let go', () => {
  const filling = [{ ...sampleExchange({ startedAt: 0 }), durationMs: 20 }];
  expect(mostBesideAll([span(5, 20)], filling)).toBe(1);
});
