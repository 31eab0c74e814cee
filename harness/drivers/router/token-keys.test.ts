import { expect, test } from 'vitest';
import { NotExercised } from '../../runner/case.ts';
import { TokenKeys } from './token-keys.ts';

function keys(...names: string[]): TokenKeys {
  return new TokenKeys({ keys: { tokensPerDay: names.map((key) => ({ key, limit: 100 })) } });
}

test('each key is spent once', async () => {
  const pool = keys('a', 'b');
  expect([await pool.spend(), await pool.spend()]).toEqual([
    { name: 'a', limit: 100 },
    { name: 'b', limit: 100 },
  ]);
  await expect(pool.spend()).rejects.toThrow(NotExercised);
});

test('a borrowed key comes back, also after a failure', async () => {
  const pool = keys('a');
  await expect(pool.borrow(async () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
  expect(await pool.borrow(async (key) => Promise.resolve(key.name))).toBe('a');
});

test('who borrows goes before who spends, and who is left over is told', async () => {
  const pool = keys('a');
  const order: string[] = [];
  let end = (): void => {};
  const first = pool.borrow(async () => new Promise<void>((go) => (end = go)));
  const spent = pool.spend().then(() => order.push('spent'));
  const tooLate = pool.spend();
  const borrowed = pool.borrow(async () => void order.push('borrowed'));
  await Promise.resolve();
  end();
  await Promise.all([first, borrowed, spent]);
  expect(order).toEqual(['borrowed', 'spent']);
  await expect(tooLate).rejects.toThrow('the 1 of the target file are spent');
});

test('a key beside another is one that nobody has, and comes back', async () => {
  const pool = keys('a', 'b');
  await pool.spend();
  const seen = pool.beside(async (key) => {
    expect(await pool.beside(async (none) => Promise.resolve(none))).toBeUndefined();
    return key?.name;
  });
  expect(await seen).toBe('b');
  expect(await pool.borrow(async (key) => Promise.resolve(key.name))).toBe('b');
});

test('a key that is preferred is the one beside others while it is free', async () => {
  const pool = keys('a', 'b', 'c');
  const preferred = pool.last;
  const beside = async () => pool.beside(async (key) => Promise.resolve(key?.name), preferred);
  expect(await beside()).toBe('c');
  for (let spent = 0; spent < 2; spent += 1) await pool.spend();
  expect(await beside()).toBe('c');
  await pool.spend();
  expect(await beside()).toBeUndefined();
});
