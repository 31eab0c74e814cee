import { expect, test } from 'vitest';
import { testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  emptyForEmptyAccount,
  foreignNotFound,
  keptOut,
  samePresets,
  sameForBoth,
  sameRefusal,
  shapeOf,
  showsNoneOf,
} from './scoping.ts';

const mine = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const answer = (status: number, ids: readonly string[]) =>
  exchangeOf({ status, body: { data: ids.map((id) => listRecord({ instance_id: id })) } });
const page = (...ids: readonly string[]) => answer(200, ids);
const shows = (one = page(), foreign = [mine]) => showsNoneOf(foreign, one, 'A filter');

testVerdicts([
  ['none of another', 'held', shows(), shows(page(mine.replace('6', '0')))],
  ['a refusal', 'held', shows(exchangeOf({ status: 400 }))],
  ['one of another', 'broken', shows(page(mine)), shows(page(mine.toUpperCase()))],
  ['nothing of another known', 'unseen', shows(page(mine), [])],
  ['trouble on the way', 'unseen', shows(exchangeOf({ status: 502 }))],
]);

testRows(
  'one reading, that of another, and the first again',
  (first, other, again) =>
    sameForBoth({ first: [first], other: [other], repeated: [again] }, 'regions'),
  { held: ['a,a,a'], broken: ['a,b,a'], unseen: ['a,b,b'] },
);

const read = (...records: readonly object[]) => ({
  ids: records.map((record) => JSON.stringify(Object.values(record)[0])),
  records,
  exchanges: [],
});
const [free, taken, other] = [read({ id: 1, left: 2 }), read({ id: 1, left: 1 }), read({ id: 2 })];
testVerdicts([
  ['the same presets', 'held', samePresets(free, free, free)],
  // When an unbound member changes between reads, the bound ones are still compared.
  ['the same but for what moves', 'held', samePresets(free, taken, taken)],
  ['other presets', 'broken', samePresets(free, other, free), samePresets(free, other, taken)],
  ['presets that changed', 'unseen', samePresets(free, other, other)],
  ['no presets', 'unseen', samePresets(read(), read(), read())],
]);

const refusal = (status: number, code: string, more: object = {}) =>
  exchangeOf({ status, body: { error: { code, message: '', request_id: 'r', ...more } } });
const notFound = refusal(404, 'NOT_FOUND');
const forbidden = refusal(403, 'FORBIDDEN');
const acted = (foreign: typeof notFound, unknown?: typeof notFound) =>
  foreignNotFound(foreign, unknown, 'A stop');
const traced = refusal(404, 'NOT_FOUND', { trace: 'x' });

testVerdicts([
  ['what is foreign is not found', 'held', acted(notFound, notFound)],
  ['it is forbidden where others are not found', 'broken', acted(forbidden, notFound)],
  ['a policy forbids all', 'unseen', acted(forbidden, forbidden), acted(forbidden)],
  ['it is a conflict', 'broken', acted(refusal(409, 'X'))],
  ['the same refusal', 'held', sameRefusal(refusal(404, 'NOT_FOUND', { message: 'y' }), notFound)],
  ['another status', 'broken', sameRefusal(refusal(403, 'NOT_FOUND'), notFound)],
  ['another code', 'broken', sameRefusal(refusal(404, 'FORBIDDEN'), notFound)],
  ['another shape', 'broken', sameRefusal(refusal(404, 'NOT_FOUND', { owner: 'x' }), notFound)],
  ['another body', 'broken', sameRefusal(exchangeOf({ status: 404, body: 'no' }), notFound)],
  ['a member that comes and goes', 'held', sameRefusal(traced, notFound, traced)],
  ['a member that stays away', 'broken', sameRefusal(traced, notFound, notFound)],
  ['a rate limit in between', 'unseen', sameRefusal(refusal(429, ''), notFound)],
]);

test('a shape has names and types and no values', () => {
  expect(shapeOf({ b: [1, 2, 'x'], a: null })).toBe(shapeOf({ a: null, b: ['y', 3] }));
  expect(shapeOf({ a: 1 })).not.toBe(shapeOf({ a: '1' }));
});

testCheck('a key that policy keeps out', (status: number) => keptOut(exchangeOf({ status })), {
  held: [403, 404],
  broken: [401, 500],
  unseen: [200, 503],
});

testCheck(
  'an account without instances',
  ([status, ...ids]: readonly [number, ...string[]]) =>
    emptyForEmptyAccount(answer(status, ids), ['theirs']),
  { held: [[200]], broken: [[200, 'theirs'], [404]], unseen: [[200, 'new'], [502]] },
);
