import { expect, it } from 'vitest';
import { Experiment } from './case.ts';

const t = () => ({ session: {} });

it('is done once for all cases of a session, and anew in another', async () => {
  let done = 0;
  const experiment = new Experiment(async () => Promise.resolve((done += 1)));
  const one = t();
  expect(await Promise.all([experiment.of(one), experiment.of(one)])).toEqual([1, 1]);
  expect(await experiment.of(t())).toBe(2);
});

it('that failed is done again by the next that asks', async () => {
  let done = 0;
  const experiment = new Experiment(async () => {
    done += 1;
    return done === 1 ? Promise.reject(new Error('too slow')) : Promise.resolve(done);
  });
  const one = t();
  await expect(experiment.of(one)).rejects.toThrow('too slow');
  expect(await experiment.of(one)).toBe(2);
});

it('that goes on from another one begins anew with one that it has not changed', async () => {
  let begun = 0;
  let done = 0;
  const first = new Experiment(async () => Promise.resolve((begun += 1)));
  const whole = first.goingOn(async (_t, seen) => {
    done += 1;
    return done === 1 ? Promise.reject(new Error('too slow')) : Promise.resolve(`on from ${seen}`);
  });
  const one = t();
  expect(await first.of(one)).toBe(1);
  await expect(whole.of(one)).rejects.toThrow('too slow');
  expect(await whole.of(one)).toBe('on from 2');
  expect(await whole.of(one)).toBe('on from 2');
});
