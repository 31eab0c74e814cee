/** The words of the catalogue: what a requirement is, independent of contract, transport and runner. */

/** The name of a contract, one of those that `contracts.ts` has. */
export type Contract = string;

/**
 * How strongly the document speaks.
 * - `stated`: said outright; breaking it fails the run.
 * - `implied`: a careful reader would expect it; breaking it warns.
 * - `open`: left to the deployment; what it does is recorded and never judged.
 */
export type Strength = 'stated' | 'implied' | 'open';

/** How a requirement stands beside others: what it needs, and how it is judged. */
interface Conditions {
  /** How it is judged, in a sentence, where the statement alone does not tell. */
  readonly judged?: string;
  /** What a target file must offer before it can be exercised, beyond the one key that every target has. */
  readonly needs?: readonly string[];
  /** True when a check over every exchange judges it, also those of other clients. */
  readonly universal?: boolean;
  /** True of a universal requirement that cases set out to judge, too: selected alone, it needs no others. */
  readonly hasCases?: boolean;
  /** Why no fault of the reference can prove it alone; absent when one does. */
  readonly unprovable?: string;
}

/** What the author of a section writes for one requirement. Id and clause come from where it stands. */
export interface Entry extends Conditions {
  readonly strength: Strength;
  /** The requirement in our own words: one sentence that one verdict can answer. */
  readonly statement: string;
}

/** One judged statement of a contract. */
export interface Requirement extends Entry {
  /** Anchor of the clause that says it, a key of the contract's clause register. */
  readonly clause: string;
  /** `<contract>.<section>.<slug>`, permanent. */
  readonly id: string;
  readonly contract: Contract;
  /** Slug of the documented section; the suite file of that section carries the same name. */
  readonly section: string;
}

/** One section, table row, numbered rule or normative sentence of a contract document. */
export interface Clause {
  /** Where a reader finds it: the headings, then the row, rule or sentence, as a short pointer and not a quotation. */
  readonly where: string;
  /** Why nothing is judged here; a clause without this must have a requirement. */
  readonly excluded?: string;
}

/** What a requirement can need of a target file. */
export interface Need {
  /** What it is for, as the end of "needs …". */
  readonly purpose: string;
  /** The YAML that offers it, as it would stand in a target file. */
  readonly line: string;
  /** Needs that together stand for it, where the suite can bring about what the file does not list. */
  readonly or?: readonly string[];
}

/** The needs of a contract, by their place in the target file. */
export type Needs = Readonly<Record<string, Need>>;

/** What a need is for, what stands at its place in a target file, and the needs that together stand for it. */
type NeedRow = readonly [purpose: string, value: string, or?: readonly string[]];

/** Needs by their place: the line of a row is its value at that place; one whose line holds more is given whole. */
export function needs<const Name extends string>(
  table: Readonly<Record<Name, NeedRow | Need>>,
): Readonly<Record<Name, Need>> {
  return mapped(table, (row, place) => {
    if (!('length' in row)) return row;
    const [purpose, value, or] = row;
    return { purpose, ...(or && { or }), line: lineAt(place.split('.'), value) };
  });
}

function mapped<K extends string, A, B>(
  table: Readonly<Record<K, A>>,
  make: (of: A, key: string) => B,
): Readonly<Record<K, B>> {
  const entries = Object.entries<A>(table).map(([key, of]) => [key, make(of, key)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the table
  return Object.fromEntries(entries) as Record<K, B>;
}

function lineAt([name, ...inside]: readonly string[], value: string): string {
  return `${name}: ${inside.length === 0 ? value : `{ ${lineAt(inside, value)} }`}`;
}

/**
 * A level of a contract, named by what a target file must offer for it. It holds everything of the one before; a
 * requirement belongs to the first level that offers all that it needs.
 */
export interface Level<NeedName extends string = string> {
  readonly name: string;
  /** What holding it says of a deployment, in a sentence. */
  readonly summary: string;
  /** Needs that it adds to those of the level before. */
  readonly adds: readonly NeedName[];
}

type Say = (statement: string, conditions?: Conditions | readonly string[]) => Entry;

function saying(strength: Strength): Say & { readonly universal: Say } {
  const say: Say = (statement, conditions = {}) => ({
    strength,
    statement,
    ...('length' in conditions ? { needs: conditions } : conditions),
  });
  const universal: Say = (...what) => ({ ...say(...what), universal: true });
  return Object.assign(say, { universal });
}

/**
 * Declares a requirement of one strength; `conditions` may be its needs alone. `stated.universal` declares one that a check
 * over every exchange judges.
 */
export const stated = saying('stated');
export const implied = saying('implied');
export const open = saying('open');

/** Requirements that differ in what they say alone, by slug: of one strength, and with the same conditions. */
export function all<const Slug extends string>(
  say: Say,
  conditions: Conditions | readonly string[],
  statements: Readonly<Record<Slug, string>>,
): Readonly<Record<Slug, Entry>> {
  return mapped(statements, (statement) => say(statement, conditions));
}

/** A clause with the requirements that stand at it, by slug. */
export interface Part<Slug extends string = string> {
  readonly anchor: string;
  /** Undefined where the clause is registered by another section. */
  readonly registered: Clause | undefined;
  readonly slugs: readonly Slug[];
  readonly entries: Readonly<Record<string, Entry>>;
}

type Entries = Readonly<Record<string, Entry>>;

function part<const E extends Entries>(
  anchor: string,
  registered: Clause | undefined,
  entries: E,
): Part<keyof E & string> {
  const slugs = Object.keys(entries) as (keyof E & string)[];
  return { anchor, registered, slugs, entries };
}

/** A clause of the document and its requirements. */
export function clause<const E extends Entries>(anchor: string, where: string, entries: E) {
  return part(anchor, { where }, entries);
}

/** Why nothing is judged at a clause, where many have the reason. */
const reasons = {
  heading: 'a heading or summary; what stands below it is judged',
  advice: 'advice to clients; it binds no server',
  notShown: 'the document says that it does not show this',
  inside: 'happens inside the deployment; no response shows it',
  summary: 'It only sums up what the rows and rules below it say, where it is judged.',
  procedure: "The operator's procedure, outside this interface.",
} as const;

function excluding(anchor: string, where: string, reason: string): Part<never> {
  return part(anchor, { where, excluded: reason }, {});
}

/** A clause at which nothing is judged, and why; `excluded.heading(…)` and its like give one of the usual reasons. */
export const excluded = Object.assign(
  excluding,
  mapped(reasons, (reason) => (anchor: string, where: string) => excluding(anchor, where, reason)),
);

/** Further requirements at a clause that stands elsewhere, or what is recorded at one that is excluded. */
export function cited<const E extends Entries>(anchor: string, entries: E) {
  return part(anchor, undefined, entries);
}

/** Declares one documented section of a contract: its clauses, in document order, with their requirements. */
export function section<const C extends Contract, const S extends string, Slug extends string>(
  contract: C,
  name: S,
  parts: readonly Part<Slug>[],
) {
  const declared: Record<string, Requirement> = {};
  const clauses: Record<string, Clause> = {};
  for (const { anchor, registered, entries } of parts) {
    const at = `${contract}#${anchor}`;
    if (registered !== undefined) clauses[at] = registered;
    for (const [slug, entry] of Object.entries(entries)) {
      const id = `${contract}.${name}.${slug}`;
      if (declared[id] !== undefined) throw new Error(`${id} is declared twice`);
      declared[id] = { ...entry, clause: at, id, contract, section: name };
    }
  }
  return { clauses, requirements: declared as Record<`${C}.${S}.${Slug}`, Requirement> };
}

interface Section<Id extends string> {
  readonly clauses: Readonly<Record<string, Clause>>;
  readonly requirements: Readonly<Partial<Record<Id, Requirement>>>;
}

/** All sections of a contract, in document order, as one: its requirements by id, and its clauses by anchor. */
export function merged<Id extends string>(sections: readonly Section<Id>[]) {
  const requirements: Record<string, Requirement> = {};
  const clauses: Record<string, Clause> = {};
  for (const one of sections) {
    Object.assign(requirements, one.requirements);
    Object.assign(clauses, one.clauses);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each id is declared by one of the sections
  return { clauses, requirements: requirements as Readonly<Record<Id, Requirement>> };
}
