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
  const failing = pool.borrow(async () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(await pool.borrow(async ({ name }) => name)).toBe('a');
});

test('a key is to spare where more are listed than a run takes', () => {
  const names = Array.from({ length: 11 }, (_, at) => `key-${at}`);
  expect(keys(...names).spare()?.name).toBe('key-10');
  expect(keys(...names.slice(1)).spare()).toBeUndefined();
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
  expect(await pool.borrow(async ({ name }) => name)).toBe('b');
});

test('a key that was spent before the run is passed over, and told where none is left', async () => {
  const names = Array.from({ length: 14 }, (_, at) => `key-${at}`);
  const pool = keys(...names);
  const spent = new Set(['key-0', 'key-10']);
  const tried: string[] = [];
  await pool.sortOut(async ({ name }) => {
    tried.push(name);
    return spent.has(name);
  });
  expect(tried).toEqual(names.slice(0, 12));
  const left = names.filter((name) => !spent.has(name));
  for (const name of left) expect((await pool.spend()).name).toBe(name);
  await expect(pool.spend()).rejects.toThrow(
    '2 of the 14 keys of keys.tokensPerDay had spent their daily budget before this run',
  );
});

test('where the keys cannot be asked, none counts as spent', async () => {
  const pool = keys('a', 'b');
  const silent = async (): Promise<boolean> => Promise.reject(new Error('no answer'));
  await expect(pool.sortOut(silent)).rejects.toThrow('no answer');
  await pool.sortOut(async () => Promise.resolve(false));
  expect([(await pool.spend()).name, (await pool.spend()).name]).toEqual(['a', 'b']);
  await expect(pool.spend()).rejects.toThrow(NotExercised);
});
