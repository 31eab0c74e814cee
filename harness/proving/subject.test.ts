import { expect, test } from 'vitest';
import { type Choosing, chosenBy } from '../reference/variant.ts';
import { combinations } from './subject.ts';

function variant(name: string, options: Choosing & Readonly<Record<string, unknown>>) {
  return { name, options: () => options };
}

function named(variants: readonly ReturnType<typeof variant>[]): readonly string[] {
  return combinations(variants).map((members) => members.map(({ name }) => name).join(' '));
}

test('variants that choose different things are combined, five at most', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
    variant(name, { choices: { [name]: 1 } }),
  );
  expect(named(six)).toEqual(['a b c d e', 'f']);
});

test('the same choice made twice, and rules replaced twice, do not', () => {
  const patch = (): void => undefined;
  expect(
    named([
      variant('one', { choices: { code: 1 } }),
      variant('other', { choices: { code: 2 } }),
      variant('rules', { patch }),
      variant('more rules', { patch }),
    ]),
  ).toEqual(['rules one', 'more rules other']);
});

test('what is decided beside choices and rules is decided once in a combination', () => {
  expect(
    named([
      variant('slow', { slow: true, choices: { a: 1 } }),
      variant('one', { choices: { b: 1 } }),
      variant('slow, too', { slow: true }),
      variant('two', { choices: { b: 2 } }),
    ]),
  ).toEqual(['slow one', 'slow, too two']);
});

test('who brings content comes first, and the others join where there are fewest', () => {
  expect(
    named([
      variant('a', { choices: { a: 1 } }),
      variant('b', { choices: { b: 1 } }),
      variant('few', { instances: 3 }),
      variant('others', { population: 'others' }),
      variant('busy', { activity: 'busy', choices: { b: 2 } }),
    ]),
  ).toEqual(['few a', 'others b', 'busy']);
});

test('who would hide the choices of others stands alone', () => {
  const hiding = { ...variant('hiding', { choices: { a: 1 } }), solo: true };
  expect(named([hiding, variant('other', { choices: { b: 1 } })])).toEqual(['other', 'hiding']);
});

test('a combination starts with everything that its members decide', () => {
  const patch = (): void => undefined;
  const members = [{ choices: { a: 1 } }, { patch }, { choices: { b: 2 } }];
  expect(chosenBy(members.map((options) => ({ options: () => options })))).toEqual({
    choices: { a: 1, b: 2 },
    patch,
  });
});
