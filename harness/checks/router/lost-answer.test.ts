import { expect, test } from 'vitest';
import { lostAnswerNotWhole } from './proxied.ts';
import { type SampleParts, sampleExchange } from './sample.test.support.ts';

const text = '{"choices":[{"index":0}]}';
const framed = [['Content-Length', '12']] as const;

function judged(parts: SampleParts) {
  const { seen, violations } = lostAnswerNotWhole(sampleExchange(parts), text);
  return seen === 0 ? 'nothing' : violations.length;
}

test('the beginning of a body that ends whole passes for an answer', () => {
  expect(judged({ headers: framed, body: text.slice(0, 12) })).toBe(1);
  expect(judged({ headers: [['Transfer-Encoding', 'chunked']], body: text.slice(0, 12) })).toBe(1);
  expect(judged({ headers: [['Content-Length', '0']], body: '' })).toBe(1);
});

test('an early end, an error and another answer do not', () => {
  expect(judged({ headers: framed, body: text.slice(0, 12), ending: 'cut-short' })).toBe(0);
  expect(judged({ headers: framed, body: text.slice(0, 12), ending: 'reset' })).toBe(0);
  expect(judged({ headers: framed, status: 502, body: { error: {} } })).toBe(0);
  expect(judged({ headers: framed, body: { choices: [] } })).toBe(0);
});

test('a body that ends with its connection shows nothing', () => {
  expect(judged({ headers: [], body: text.slice(0, 12) })).toBe('nothing');
});
