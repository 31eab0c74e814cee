/** What is put before the suite to prove it: faults, and conforming variants in companies. */

import type { PlannedTarget } from '../runner/selection.ts';
import type {
  Combinable,
  CombinableOptions,
  FaultOf,
  RunningSubject,
  Start,
  Subject,
  Subjects,
  VariantOf,
} from '../contracts/references.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { referenceOf } from '../contracts/index.ts';
import { brokenBy } from '../reference/fault.ts';
import { consequences } from './kill-matrix.ts';
import { parseTarget } from '../contracts/target-file.ts';

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

const catalogues = new Map<Contract, Promise<Subjects>>();

/** Made once: every job of a thread looks its subject up. */
async function catalogueOf(contract: Contract): Promise<Subjects> {
  const before = catalogues.get(contract);
  if (before !== undefined) return before;
  const making = makeSubjects(contract);
  catalogues.set(contract, making);
  return making;
}

async function makeSubjects(contract: Contract): Promise<Subjects> {
  const reference = await referenceOf(contract);
  return reference.subjects((faults, variants, start) =>
    subjects(contract, faults, variants, start),
  );
}

/** Every fault and variant of a contract, each by itself, and the unchanged reference. */
export async function subjectsOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).alone;
}

/** The variants of a contract in companies. */
export async function companiesOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).inCompany;
}

/** Several faults of a contract in one deployment, by name. */
export async function faultsTogether(
  contract: Contract,
  names: readonly string[],
): Promise<Subject> {
  return (await catalogueOf(contract)).faultsTogether(names);
}

/** A fault replaces rules through `patch`; a variant is a set of start options. */
function subjects<Rules, Options extends CombinableOptions>(
  contract: Contract,
  faults: readonly FaultOf<Rules>[],
  variants: readonly VariantOf<Options>[],
  startReference: Start<Rules, Options>,
): Subjects {
  const start: (...given: Parameters<typeof startReference>) => Promise<RunningSubject> = async (
    options,
  ) => {
    const reference = await startReference(options);
    return { planned: planned(reference.target()), close: () => reference.close() };
  };
  const variant = (members: readonly VariantOf<Options>[], named: readonly string[]): Subject => ({
    kind: 'variant',
    contract,
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
    breaks: [],
    consequences: members.flatMap(({ warns }) => warns ?? []),
    exercisedBy: [],
    members: named,
    start: () => start(together(members.map(({ options }) => options()))),
  });
  const broken = (members: readonly FaultOf<Rules>[], named: readonly string[]): Subject => ({
    kind: 'fault',
    contract,
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
    breaks: [...new Set(members.flatMap(({ aims, besides }) => [aims, ...besides]))],
    consequences: members.flatMap(({ name }) => consequences()[contract]?.[name] ?? []),
    exercisedBy: [...new Set(members.flatMap(({ exercisedBy }) => exercisedBy ?? []))],
    members: named,
    start: () => start(brokenBy(members)),
  });
  const alone: readonly Subject[] = [
    {
      kind: 'unchanged',
      contract,
      name: `reference-${contract}`,
      summary: 'The reference deployment as it is.',
      breaks: [],
      consequences: [],
      exercisedBy: [],
      members: [],
      start: () => start({}),
    },
    ...faults.map((one) => broken([one], [])),
    ...variants.map((one) => variant([one], [])),
  ];
  return {
    alone,
    inCompany: companies<Options, VariantOf<Options>>(variants).map((members) =>
      variant(members, members.length > 1 ? members.map(({ name }) => name) : []),
    ),
    faultsTogether: (names) =>
      broken(
        faults.filter(({ name }) => names.includes(name)),
        names,
      ),
  };
}

function planned(file: object): PlannedTarget {
  return parseTarget(JSON.stringify(file), 'proved.yaml');
}
