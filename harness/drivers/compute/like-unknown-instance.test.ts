import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { likeUnknownInstance } from './like-unknown-instance.ts';

const plain = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
const traced = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' }, trace: 'x' } });

function inTurn(...answers: readonly (typeof plain)[]) {
  let asked = 0;
  return async () => answers[asked++ % answers.length] ?? plain;
}

test('the same answer at once is asked for once', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return plain;
  };
  expect((await likeUnknownInstance(plain, ask, ask)).violations).toEqual([]);
  expect(asked).toBe(1);
});

test('a member that comes and goes in both tells nothing', async () => {
  const judgement = await likeUnknownInstance(traced, inTurn(plain), inTurn(plain, traced));
  expect(judgement.violations).toEqual([]);
});

test('a difference that stays is one', async () => {
  expect(
    (await likeUnknownInstance(traced, inTurn(traced), inTurn(plain))).violations,
  ).toHaveLength(1);
});
