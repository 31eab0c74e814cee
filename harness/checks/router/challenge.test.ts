import { expect, test } from 'vitest';
import { challengesIn } from './credentials.ts';

const read = (...lines: string[]) =>
  challengesIn(lines).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

test('reads one challenge', () => {
  expect(read('Bearer realm="the router"')).toEqual([['bearer', { realm: 'the router' }]]);
});

test('reads bare and escaped values', () => {
  expect(read(String.raw`bearer Realm=router, error="a \"b\", c"`)).toEqual([
    ['bearer', { realm: 'router', error: 'a "b", c' }],
  ]);
});

test('reads several challenges, on one line and on two', () => {
  const both = [
    ['basic', { realm: 'a' }],
    ['bearer', { realm: 'b' }],
  ];
  expect(read('Basic realm="a", Bearer realm="b"')).toEqual(both);
  expect(read('Basic realm="a"', 'Bearer realm="b"')).toEqual(both);
});

test('reads a scheme without parameters', () => {
  expect(read('Bearer')).toEqual([['bearer', {}]]);
});

test('a realm that speaks of Bearer is no Bearer challenge', () => {
  expect(read('Basic realm="Bearer realm"')).toEqual([['basic', { realm: 'Bearer realm' }]]);
});
