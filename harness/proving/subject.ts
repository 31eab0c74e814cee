/** The subjects of a proof: faults, and combinations of conforming variants. */

import { Document } from 'yaml';
import type { Members } from '../contracts/references.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { referenceOf } from '../contracts/index.ts';
import type { Choosing, Variant } from '../reference/variant.ts';
import { consequences } from './consequences.ts';
import { parseTarget } from '../contracts/target-file.ts';

/** A running deployment. */
interface RunningSubject {
  readonly planned: PlannedTarget;
  close(): Promise<void>;
}

export interface Subject {
  readonly kind: 'fault' | 'variant' | 'unchanged';
  readonly contract: Contract;
  readonly name: string;
  readonly summary: string;
  /** Requirements that the suite must find broken. Empty for a conforming subject. */
  readonly breaks: readonly string[];
  /** Requirements that a whole run may also find broken, as consequences of the fault. */
  readonly consequences: readonly string[];
  /** Requirements whose cases trigger the fault. Empty if the broken requirements have cases of their own. */
  readonly exercisedBy: readonly string[];
  /** Names of the combined variants or faults. Empty for a single one. */
  readonly members: readonly string[];
  readonly start: () => Promise<RunningSubject>;
}

/** All subjects of a contract. */
export interface Subjects {
  /** The unchanged reference, and every fault and variant by itself. */
  readonly solo: readonly Subject[];
  /** The variants in combinations. Each variant is in exactly one, possibly alone. */
  readonly combined: readonly Subject[];
  /** Combines several faults, by name, in one deployment. */
  readonly faultsTogether: (names: readonly string[]) => Subject;
}

/** Maximum members of a combination. More would hide one another. */
const MAX_MEMBERS = 5;

/** Options that set the content and limits of a deployment. Only one variant of a combination may have any of them. */
const contentOptions = new Set([
  'population',
  'presets',
  'instances',
  'activity',
  'configure',
  'limits',
]);

/** Names for content and rules, next to those of choices. A choice never begins with a space. */
const CONTENT = ' content';
const RULES = ' patch';

/** What determines whether two variants fit into one deployment. */
type Combinable = Pick<Variant<Choosing>, 'options' | 'solo'>;

/** Combines variants that decide different things. Those with content or rules come first; others join the smallest. */
export function combinations<V extends Combinable>(
  variants: readonly V[],
): readonly (readonly V[])[] {
  const inOrder = variants
    .filter(({ solo }) => solo !== true)
    .map((variant) => ({ variant, names: decidedBy(variant.options()) }))
    .toSorted((one, other) => turnOf(one.names) - turnOf(other.names));
  const open: { readonly members: V[]; readonly taken: Set<string> }[] = [];
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

/** Variants that need a combination of their own come before those that fit anywhere. */
function turnOf(names: readonly string[]): number {
  if (names.includes(CONTENT)) return 0;
  return names.includes(RULES) ? 1 : 2;
}

/** Names of what the options decide. */
function decidedBy({ choices = {}, ...others }: Choosing): readonly string[] {
  const names = Object.keys(others).map((name) =>
    contentOptions.has(name) ? CONTENT : ` ${name}`,
  );
  return [...Object.keys(choices), ...new Set(names)];
}

const catalogues = new Map<Contract, Promise<Subjects>>();

/** All subjects of a contract. Cached, since every job of a thread looks up its subject. */
export async function catalogueOf(contract: Contract): Promise<Subjects> {
  const before = catalogues.get(contract);
  if (before !== undefined) return before;
  const making = subjects(contract);
  catalogues.set(contract, making);
  return making;
}

/** The unchanged reference, and every fault and variant of a contract by itself. */
export async function subjectsOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).solo;
}

async function subjects(contract: Contract): Promise<Subjects> {
  const reference = await referenceOf(contract);
  const [faults, variants] = await Promise.all([reference.faults(), reference.variants()]);
  const start = async (members: Members): Promise<RunningSubject> => {
    const started = await reference.startProved(members);
    const omits = variants
      .filter(({ name }) => members.variants?.includes(name))
      .flatMap((one) => one.omits ?? []);
    const planned = parseTarget(without(started.target(), omits), 'proved.yaml');
    return { planned, close: () => started.close() };
  };
  const nothing = { contract, breaks: [], consequences: [], exercisedBy: [] };
  const described = (members: readonly { readonly name: string; readonly summary: string }[]) => ({
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
    members: members.length > 1 ? namesOf(members) : [],
  });
  const variant = (members: typeof variants): Subject => ({
    ...nothing,
    ...described(members),
    kind: 'variant',
    consequences: members.flatMap(({ warns }) => warns ?? []),
    start: () => start({ variants: namesOf(members) }),
  });
  const broken = (members: typeof faults): Subject => ({
    ...described(members),
    kind: 'fault',
    contract,
    breaks: [...new Set(members.flatMap(({ aims, besides }) => [aims, ...besides]))],
    consequences: members.flatMap(({ name }) => consequences()[contract]?.[name] ?? []),
    exercisedBy: [...new Set(members.flatMap(({ exercisedBy }) => exercisedBy ?? []))],
    start: () => start({ faults: namesOf(members) }),
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
      ...faults.map((one) => broken([one])),
      ...variants.map((one) => variant([one])),
    ],
    combined: combinations(variants).map(variant),
    faultsTogether: (names) => broken(faults.filter(({ name }) => names.includes(name))),
  };
}

/** The text of a target file without some of its members, given by their paths: `keys.second`. */
function without(file: object, paths: readonly string[]): string {
  const document = new Document(file);
  for (const path of paths) {
    if (!document.deleteIn(path.split('.'))) {
      throw new Error(`the target file has no ${path} to leave out`);
    }
  }
  return document.toString();
}

function namesOf(members: readonly { readonly name: string }[]): readonly string[] {
  return members.map(({ name }) => name);
}
