import { expect, test } from 'vitest';
import { notObserved } from '../judgement.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { codesExact, codesMentioned } from './regions.ts';

const answer = (body: unknown, status = 200) => exchangeOf({ path: '/regions', status, body });

test.each([
  [['UAE', 'FR', 'US']],
  [{ regions: [{ code: 'US' }, { code: 'FR' }, { code: 'UAE', name: 'Emirates' }] }],
  [{ UAE: {}, FR: {}, US: {} }],
])('%j mentions each code', (body) => {
  expect(codesMentioned(answer(body))).toEqual({ seen: 1, violations: [] });
});

test.each([[['UAE', 'FR']], [['uae', 'fr', 'us']], [['UAE, FR, US']], [{}]])(
  '%j leaves one out',
  (body) => {
    expect(codesMentioned(answer(body)).violations).toHaveLength(1);
  },
);

test('a refusal says nothing', () => {
  expect(codesMentioned(answer({}, 500)).seen).toBe(0);
});

test('the bound codes are the whole set, each once', () => {
  const exchange = answer({});
  expect(codesExact(['US', 'UAE', 'FR'], exchange).violations).toEqual([]);
  expect(codesExact(['US', 'UAE'], exchange).violations).toHaveLength(1);
  expect(codesExact(['US', 'UAE', 'FR', 'DE'], exchange).violations).toHaveLength(1);
  expect(codesExact(['US', 'UAE', 'FR', 'FR'], exchange).violations).toHaveLength(1);
});

test('a body that nests deep or without end is read without harm', () => {
  const nested = (depth: number) => answer(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(codesMentioned(nested(400)).violations).toHaveLength(1);
  // What is too deep to be read at all is no JSON to us, and judged as that elsewhere.
  expect(codesMentioned(nested(50_000))).toEqual(notObserved);
});
