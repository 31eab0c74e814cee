import { expect, test } from 'vitest';
import { tellingPages } from './telling-pages.ts';

function list(text: string): readonly boolean[] {
  return Array.from(text, (letter) => letter === 'x');
}

test('among others every page tells', () => {
  expect(tellingPages(list('x-x-x-x-x-x-'), 4)).toEqual({ size: 1, telling: 3 });
  expect(tellingPages(list('x-x-x-x-x-x-'), 3)).toEqual({ size: 2, telling: 2 });
});

test('of what stands together at the front only the last page tells', () => {
  expect(tellingPages(list('xxxxxx-x-'), 4)).toEqual({ size: 4, telling: 1 });
});

test('a page tells by what comes after the front', () => {
  // Pages of two: the second is xx at the front, the third begins at the first that is not selected.
  expect(tellingPages(list('xxxx-x-x-x-x'), 4)).toEqual({ size: 3, telling: 2 });
});

test('a walk over all of what is selected comes to its end two pages after those that count', () => {
  // Pages of one would tell twice, and 21 of them are needed.
  expect(tellingPages(list(`x-x-x-${'x'.repeat(18)}`), 3)).toBeUndefined();
});

test('nothing tells where all are selected, or one, or none', () => {
  expect(tellingPages(list('xxxx'), 4)).toBeUndefined();
  expect(tellingPages(list('-x--'), 4)).toBeUndefined();
  expect(tellingPages(list('----'), 4)).toBeUndefined();
});

test('at most 199 stand on a page, as a walk of 200 is what it is held against', () => {
  const long = list('x-'.repeat(500));
  expect(tellingPages(long, 4)?.size).toBeLessThan(200);
});
