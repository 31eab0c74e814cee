/** What is put before the suite to prove it: faults, and conforming variants in combinations. */

import type {
  CombinableOptions,
  RunningSubject,
  Start,
  Subject,
  Subjects,
} from '../contracts/references.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { referenceOf } from '../contracts/index.ts';
import { brokenBy, type Fault } from '../reference/fault.ts';
import type { Variant } from '../reference/variant.ts';
import { consequences } from './kill-matrix.ts';
import { parseTarget } from '../contracts/target-file.ts';

/** Members of one combination: more would hide one another. */
const MAX_MEMBERS = 5;

/** Options that decide what a deployment holds and how much it takes: only one of a combination has any of them. */
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

/** What tells whether two variants can be made by one deployment. */
type Combinable<Options> = Pick<Variant<Options>, 'options' | 'solo'>;

interface Combination<V> {
  readonly members: V[];
  readonly taken: Set<string>;
}

/**
 * Puts variants into combinations. Two are together when they decide different things. A variant with content or rules
 * comes first, since each needs another combination; the others join the smallest.
 */
export function combinations<Options extends CombinableOptions, V extends Combinable<Options>>(
  variants: readonly V[],
): readonly (readonly V[])[] {
  const inOrder = variants
    .filter(({ solo }) => solo !== true)
    .map((variant) => ({ variant, names: decidedBy(variant.options()) }))
    .toSorted((one, other) => turnOf(one.names) - turnOf(other.names));
  const open: Combination<V>[] = [];
  for (const { variant, names } of inOrder) {
    const [fewest] = open
      .filter(
        ({ members, taken }) => members.length < MAX_MEMBERS && names.every((n) => !taken.has(n)),
      )
      .toSorted((one, other) => one.members.length - other.members.length);
    if (fewest === undefined) open.push({ members: [variant], taken: new Set(names) });
    else {
      fewest.members.push(variant);
      for (const name of names) fewest.taken.add(name);
    }
  }
  const byThemselves = variants.filter(({ solo }) => solo === true).map((variant) => [variant]);
  return [...open.map(({ members }) => members), ...byThemselves];
}

/** The options of all members as one. */
export function together<Options extends CombinableOptions>(all: readonly Options[]): Options {
  const [first] = all;
  if (first === undefined) throw new TypeError('a combination has members');
  const made = { ...first };
  const choices = {};
  for (const options of all) {
    Object.assign(made, options);
    Object.assign(choices, options.choices);
  }
  return Object.assign(made, { choices });
}

/** A variant that needs a combination of its own is placed before those that fit anywhere. */
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

const catalogues = new Map<Contract, Promise<Subjects>>();

/** All subjects of a contract. Made once: every job of a thread looks its subject up. */
export async function catalogueOf(contract: Contract): Promise<Subjects> {
  const before = catalogues.get(contract);
  if (before !== undefined) return before;
  const making = referenceOf(contract).then(async (reference) =>
    reference.subjects((...parts) => subjects(contract, ...parts)),
  );
  catalogues.set(contract, making);
  return making;
}

/** Every fault and variant of a contract, each by itself, and the unchanged reference. */
export async function subjectsOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).solo;
}

/** A fault replaces rules through `patch`; a variant is a set of start options. */
function subjects<Rules, Options extends CombinableOptions>(
  contract: Contract,
  faults: readonly Fault<Rules>[],
  variants: readonly Variant<Options>[],
  startReference: Start<Rules, Options>,
): Subjects {
  const start: (...given: Parameters<typeof startReference>) => Promise<RunningSubject> = async (
    options,
  ) => {
    const reference = await startReference(options);
    const planned = parseTarget(JSON.stringify(reference.target()), 'proved.yaml');
    return { planned, close: () => reference.close() };
  };
  const nothing = { contract, breaks: [], consequences: [], exercisedBy: [] };
  const described = (members: readonly { readonly name: string; readonly summary: string }[]) => ({
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
  });
  const variant = (members: readonly Variant<Options>[], named: readonly string[]): Subject => ({
    ...nothing,
    ...described(members),
    kind: 'variant',
    consequences: members.flatMap(({ warns }) => warns ?? []),
    members: named,
    start: () => start(together(members.map(({ options }) => options()))),
  });
  const broken = (members: readonly Fault<Rules>[], named: readonly string[]): Subject => ({
    ...described(members),
    kind: 'fault',
    contract,
    breaks: [...new Set(members.flatMap(({ aims, besides }) => [aims, ...besides]))],
    consequences: members.flatMap(({ name }) => consequences()[contract]?.[name] ?? []),
    exercisedBy: [...new Set(members.flatMap(({ exercisedBy }) => exercisedBy ?? []))],
    members: named,
    start: () => start(brokenBy(members)),
  });
  const unchanged: Subject = {
    ...nothing,
    kind: 'unchanged',
    name: `reference-${contract}`,
    summary: 'The reference deployment as it is.',
    members: [],
    start: () => start({}),
  };
  return {
    solo: [
      unchanged,
      ...faults.map((one) => broken([one], [])),
      ...variants.map((one) => variant([one], [])),
    ],
    combined: combinations<Options, Variant<Options>>(variants).map((members) =>
      variant(members, members.length > 1 ? members.map(({ name }) => name) : []),
    ),
    faultsTogether: (names) =>
      broken(
        faults.filter(({ name }) => names.includes(name)),
        names,
      ),
  };
}
