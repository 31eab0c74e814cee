import { expect, test } from 'vitest';
import { pass, violated } from '../checks/judgement.ts';
import { again, untilRight } from './again.ts';

const { signal } = new AbortController();

function counting() {
  let made = 0;
  return async () => Promise.resolve((made += 1));
}

test('what is done at once is tried once, and no pause is asked for', async () => {
  let asked = 0;
  function* pauses() {
    asked += 1;
    yield 0;
  }
  expect(await again(counting(), () => true, pauses(), signal)).toBe(1);
  expect(asked).toBe(0);
});

test('is tried once more after each pause until it is done', async () => {
  expect(await again(counting(), (made) => made === 3, [0, 0, 0, 0], signal)).toBe(3);
});

test('gives what came last when the pauses are used up', async () => {
  expect(await again(counting(), () => false, [0, 0], signal)).toBe(3);
});

test('ends with the run', async () => {
  const ended = AbortSignal.abort(new Error('the run was ended'));
  await expect(again(counting(), () => false, [1_000], ended)).rejects.toThrow('ended');
});

test('a judgement says how often it was looked until it was right', async () => {
  const wrongFor = (times: number) => {
    let left = times;
    return async () => ((left -= 1) < 0 ? pass() : violated('wrong', { expected: 1, actual: 2 }));
  };
  expect(await untilRight(wrongFor(0), [0, 0], signal)).toEqual(pass());
  expect(await untilRight(wrongFor(2), [0, 0], signal)).toEqual({ ...pass(), tries: 3 });
});
