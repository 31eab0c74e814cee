import { expect, test } from 'vitest';
import { testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import {
  accepted,
  answeredWith,
  failsByChanceAlone,
  limitedBy429,
  noServerError,
  notAccepted,
  otherKeyServed,
  refusedWith,
  servedAfterWaits,
} from './answers.ts';
import { exchangeOf } from './exchange.test.support.ts';

const answer = (status: number) => exchangeOf({ status, path: '/regions', body: {} });
const lost = { ...answer(200), ending: 'reset' as const };

testCheck('an acceptance', (status: number) => accepted(answer(status), 'A request'), {
  held: [200, 202],
  broken: [302, 400, 500],
  unseen: [429, 502, 503],
});

testCheck('a refusal of any kind', (status: number) => notAccepted(answer(status), 'A request'), {
  held: [404, 400],
  broken: [200],
  unseen: [503],
});

testCheck('no server error', (status: number) => noServerError(answer(status), 'An odd value'), {
  held: [400, 200],
  broken: [500],
  unseen: [503],
});

testRows(
  'a refusal that must be a 400 or 429, its status and code',
  (asked, status, code) => {
    // A front has no code.
    const body = code === '' ? '<h1>no</h1>' : { error: { code } };
    const answered = exchangeOf({ status: Number(status), body });
    return refusedWith(answered, asked === '429' ? 429 : 400, 'A request');
  },
  {
    held: ['400,400,VALIDATION_ERROR', '429,429,TOO_MANY_REQUESTS'],
    broken: [
      '400,400,NOT_FOUND',
      '400,422,VALIDATION_ERROR',
      '400,500,INTERNAL_ERROR',
      '429,429,SLOW_DOWN',
      '400,413,TOO_LARGE',
    ],
    unseen: ['400,429,TOO_MANY_REQUESTS', '400,413'],
  },
);

testVerdicts([
  ['one of several statuses', 'held', answeredWith(answer(404), [400, 404], 'x')],
  ['none of them', 'broken', answeredWith(answer(200), [400, 404], 'x')],
  ['the status', 'held', answeredWith(answer(404), 404, 'x')],
  ['another status', 'broken', answeredWith(answer(403), 404, 'x')],
  ['what did not arrive', 'unseen', accepted(lost, 'x')],
  ['no response', 'unseen', answeredWith({ ...lost, response: undefined }, 404, 'x')],
]);

test.for([
  ['none failed', [200, 404, 200], 3, 0],
  ['one or two may', [200, 500, 200, 500], 2, 0],
  ['one or two may', [500], 0, 0],
  ['more do not', [200, 500, 500, 200, 500], 5, 3],
  ["a proxy's trouble is no failure of the service", [200, 502, 503, 504], 1, 0],
] as const)('reads, %s: %j', ([, statuses, seen, violations]) => {
  const judgement = failsByChanceAlone(statuses.map(answer));
  expect([judgement.seen, judgement.violations.length]).toEqual([seen, violations]);
});

const answers = (row: string) =>
  row === '' ? [] : row.split(' ').map((status) => answer(Number(status)));

testCheck('calls up to a limit', (row: string) => limitedBy429(answers(row)), {
  held: ['200 200 429', '200 429 503', '200 500 429', '403 403 429'],
  broken: ['200 429 403', '403 400 429', '500 500 500 429'],
  unseen: ['200 200'],
});

const misnamed = exchangeOf({
  status: 503,
  path: '/regions',
  body: { error: { code: 'TOO_MANY_REQUESTS', message: 'slow', request_id: 'r' } },
});
testVerdicts([
  ['a limit that has its code and another status', 'broken', limitedBy429([misnamed])],
  ['the same beside one that is right', 'broken', limitedBy429([answer(429), misnamed])],
]);

testRows(
  'a limited key, another, the limited one again',
  (...row) => {
    const [before = lost, other = lost, after = lost] = row.map((status) => answer(Number(status)));
    return otherKeyServed(before, other, after);
  },
  {
    held: ['429,200,429'],
    broken: ['429,429,429', '429,403,429'],
    unseen: ['429,200,200', '429,503,429', '429,500,429'],
  },
);

testCheck('calls after waits', (row: string) => servedAfterWaits(answers(row)), {
  held: ['200', '429 200'],
  broken: ['429 429'],
  unseen: ['', '503'],
});
