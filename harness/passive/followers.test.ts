import { expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { ClientFollower } from './followers.ts';
import { atSecond, judgedBy } from './judged.test.support.ts';

const sent = (second: number, agent: string, status = 200, retryAfter?: string): Exchange =>
  atSecond(second, {
    status,
    headers: retryAfter === undefined ? [] : [['Retry-After', retryAfter]],
    requestHeaders: [
      ['User-Agent', agent],
      ['Authorization', 'Bearer ‹key:primary›'],
    ],
  });

test('clients that heed Retry-After are told from those that do not', () => {
  const follower = new ClientFollower('compute.rate-limiting.observed-limit');
  const { notes, judged } = judgedBy(follower, [
    sent(0, 'patient/1', 429, '3'),
    sent(0, 'hasty/1', 429, '3'),
    sent(1, 'hasty/1', 429, '3'),
    sent(2, 'hasty/1'),
    sent(4, 'patient/1'),
    sent(5, 'untroubled/1'),
  ]);
  expect(follower.manners()).toEqual([
    { client: 'hasty/1, key:primary', askedToWait: 2, waited: 0, hurried: 2 },
    { client: 'patient/1, key:primary', askedToWait: 1, waited: 1, hurried: 0 },
  ]);
  expect(new Set(notes)).toEqual(new Set(['429 with 3 Retry-After']));
  // The behaviour of a client says nothing about the deployment.
  expect(judged).toEqual([]);
});

test('a bounded number of clients is told apart', () => {
  const follower = new ClientFollower(undefined);
  const many = Array.from({ length: 700 }, (_, at) => sent(at, `agent-${at}`, 429, '1'));
  judgedBy(follower, many);
  expect(follower.manners()).toHaveLength(500);
});

test('after a gap nothing is said of waits that were under way', () => {
  const follower = new ClientFollower(undefined);
  judgedBy(follower, [sent(0, 'unknown/1', 429, '3')]);
  follower.startTimeline();
  judgedBy(follower, [sent(1, 'unknown/1')]);
  expect(follower.manners()).toMatchObject([{ askedToWait: 1, waited: 0, hurried: 0 }]);
});
