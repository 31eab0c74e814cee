import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { leadsOn } from './given-cursor.ts';
import { outcomeOf } from './verdicts.test.support.ts';

test.each([
  [200, 'held'],
  [400, 'violated'],
  [404, 'violated'],
  [401, 'vacuous'],
  [429, 'vacuous'],
  [500, 'vacuous'],
])('a cursor that is answered with %i: %s', (status, outcome) => {
  expect(outcomeOf(leadsOn(exchangeOf(), exchangeOf({ status })))).toBe(outcome);
});
