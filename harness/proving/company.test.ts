import { expect, test } from 'vitest';
import { type CombinableOptions, companies, together } from './company.ts';

interface Options extends CombinableOptions {
  readonly choices?: Readonly<Record<string, number>>;
  readonly slow?: boolean;
}

function variant(name: string, options: Options) {
  return { name, options: () => options };
}

function named(variants: readonly ReturnType<typeof variant>[]): readonly string[] {
  return companies<Options, ReturnType<typeof variant>>(variants).map((members) =>
    members.map(({ name }) => name).join(' '),
  );
}

test('variants that choose different things keep company, five at most', () => {
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
  ).toEqual(['one rules', 'other more rules']);
});

test('what changes more than choices and rules stands alone', () => {
  expect(
    named([
      variant('slow', { slow: true, choices: { a: 1 } }),
      variant('one', { choices: { b: 1 } }),
      variant('slow, too', { slow: true }),
      variant('two', { choices: { c: 1 } }),
    ]),
  ).toEqual(['slow', 'one two', 'slow, too']);
});

test('a company starts with everything that its members decide', () => {
  const patch = (): void => undefined;
  expect(together<Options>([{ choices: { a: 1 } }, { patch }, { choices: { b: 2 } }])).toEqual({
    choices: { a: 1, b: 2 },
    patch,
  });
});
