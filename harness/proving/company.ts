/**
 * Conforming choices that do not touch one another, made by one deployment: a whole run takes as long for four of them as
 * for one, and the suite must be right about what they do together, too.
 */

import type { Combinable, CombinableOptions } from '../contract.ts';

/** Members of one company: more would hide one another. */
const MOST = 5;

/** Options that decide what a deployment holds and how much it takes: only one of a company has any of them. */
const contentOptions = new Set([
  'population',
  'presets',
  'instances',
  'activity',
  'configure',
  'limits',
]);

/** Names under which content and rules are decided; a choice never begins with a space. */
const CONTENT = ' content';
const RULES = ' patch';

interface Company<V> {
  readonly members: V[];
  readonly taken: Set<string>;
}

/**
 * Puts variants into companies. Two are together when they decide different things. Who brings content or rules comes
 * first, since each needs another company; the others join where there are fewest.
 */
export function companies<Options extends CombinableOptions, V extends Combinable<Options>>(
  variants: readonly V[],
): readonly (readonly V[])[] {
  const inOrder = variants
    .filter(({ alone }) => alone !== true)
    .map((variant) => ({ variant, names: decidedBy(variant.options()) }))
    .toSorted((one, other) => turnOf(one.names) - turnOf(other.names));
  const open: Company<V>[] = [];
  for (const { variant, names } of inOrder) {
    const [fewest] = open
      .filter(({ members, taken }) => members.length < MOST && names.every((n) => !taken.has(n)))
      .toSorted((one, other) => one.members.length - other.members.length);
    if (fewest === undefined) open.push({ members: [variant], taken: new Set(names) });
    else {
      fewest.members.push(variant);
      for (const name of names) fewest.taken.add(name);
    }
  }
  const hermits = variants.filter(({ alone }) => alone === true).map((variant) => [variant]);
  return [...open.map(({ members }) => members), ...hermits];
}

/** The options of all members as one. */
export function together<Options extends CombinableOptions>(all: readonly Options[]): Options {
  const [first] = all;
  if (first === undefined) throw new TypeError('a company has members');
  const made = { ...first };
  const choices = {};
  for (const options of all) {
    Object.assign(made, options);
    Object.assign(choices, options.choices);
  }
  return Object.assign(made, { choices });
}

/** Who needs a company of its own is placed before those who fit anywhere. */
function turnOf(names: readonly string[]): number {
  if (names.includes(CONTENT)) return 0;
  return names.includes(RULES) ? 1 : 2;
}

/** What options decide, by name. */
function decidedBy({ choices = {}, ...others }: CombinableOptions): readonly string[] {
  const names = Object.keys(others).map((name) =>
    contentOptions.has(name) ? CONTENT : ` ${name}`,
  );
  return [...Object.keys(choices), ...new Set(names)];
}
