import { describe, expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { isEmptyPage } from './empty-page.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const links = [{ rel: 'self' }];
const bound = { presets: { items: 'data' } };

describe('where the presets are is known', () => {
  test.each([
    [200, { data: [], pagination: { next: null, size: 50 } }, 'held'],
    [200, { data: [], links, warnings: ['no such region'] }, 'held'],
    [200, { data: [{}] }, 'violated'],
    [200, { presets: [] }, 'violated'],
    [400, { error: {} }, 'violated'],
    [502, '', 'vacuous'],
  ])('%i %j: %s', (status, body, expected) => {
    const plain = exchangeOf({ body: { data: [{}] } });
    expect(outcomeOf(isEmptyPage(exchangeOf({ status, body }), 'A filter', plain, bound))).toBe(
      expected,
    );
  });
});

test('without presets an empty page shows nothing, and a refusal does', () => {
  const none = exchangeOf({ body: { data: [] } });
  expect(outcomeOf(isEmptyPage(none, 'A filter', none, bound))).toBe('vacuous');
  const refused = exchangeOf({ status: 400, body: { error: {} } });
  expect(outcomeOf(isEmptyPage(refused, 'A filter', none, bound))).toBe('violated');
});

describe('where the presets are is not known', () => {
  test.each([
    [{ data: [{}] }, 200, { data: [] }, 'held'],
    [{ data: [{}] }, 200, {}, 'held'],
    [[{}], 200, [], 'held'],
    [{ page: { presets: [{}] }, links }, 200, { page: { presets: [] }, links }, 'held'],
    [{ data: [{}], links }, 200, { data: [], links, warnings: ['no such region'] }, 'held'],
    [{ page: { presets: [{}] } }, 200, { page: { presets: [{}] } }, 'violated'],
    [{ data: [{}], links }, 200, { data: [{}], links }, 'violated'],
    [[{}], 200, [{}], 'violated'],
    [{ data: [] }, 200, { data: [] }, 'vacuous'],
    [{ data: [{}] }, 400, { error: {} }, 'violated'],
    [{ data: [{}] }, 200, 'no JSON', 'violated'],
    [{ data: [{}] }, 502, '', 'vacuous'],
  ])('%j, then %i %j: %s', (without, status, body, expected) => {
    const plain = exchangeOf({ body: without });
    const page = exchangeOf({ status, body });
    expect(outcomeOf(isEmptyPage(page, 'A filter', plain, undefined))).toBe(expected);
  });
});
