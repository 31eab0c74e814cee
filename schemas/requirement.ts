/** The types of the catalogue: requirements and clauses, independent of contract, transport and runner. */

/** The name of a contract in `contracts.ts`. */
export type Contract = string;

/**
 * How strongly the document requires something.
 * - `stated`: explicit; a violation fails the run.
 * - `implied`: a careful reader expects it; a violation is a warning.
 * - `open`: each deployment decides; the suite records its behaviour and never judges it.
 */
export type Strength = 'stated' | 'implied' | 'open';

/** What a requirement needs, and how it is judged. */
interface Conditions {
  /** How it is judged, in a sentence, if the statement does not make that clear. */
  readonly judged?: string;
  /** What a target file must offer before it can be exercised, beyond the one key that every target has. */
  readonly needs?: readonly string[];
  /** True if a check judges it on every exchange, including those of other clients. */
  readonly universal?: boolean;
  /** True if cases judge a universal requirement too, so that selecting it alone runs only those cases. */
  readonly hasCases?: boolean;
  /** Why no fault of the reference can prove this requirement alone; absent when a fault does. */
  readonly unprovable?: string;
}

/** A requirement as the author of a section writes it; its id and clause come from its position. */
export interface Entry extends Conditions {
  readonly strength: Strength;
  /** The requirement in our own words: one sentence that is either true or false. */
  readonly statement: string;
}

/** One judged statement of a contract. */
export interface Requirement extends Entry {
  /** Anchor of the clause that requires it, a key of the contract's clause register. */
  readonly clause: string;
  /** `<contract>.<section>.<slug>`, permanent. */
  readonly id: string;
  readonly contract: Contract;
  /** Slug of the documented section; the suite file of that section has the same name. */
  readonly section: string;
}

/** One section, table row, numbered rule or normative sentence of a contract document. */
export interface Clause {
  /** Its place in the document: the headings, then the row, rule or sentence, as a short pointer and not a quotation. */
  readonly where: string;
  /** Why nothing is judged here; a clause without this must have a requirement. */
  readonly excluded?: string;
}

/** Something that a requirement can need from a target file. */
export interface Need {
  /** The purpose of the need, as the end of "needs …". */
  readonly purpose: string;
  /** The YAML that meets the need in a target file. */
  readonly line: string;
  /** Needs that together replace it, because with them the suite can create what the file does not list. */
  readonly or?: readonly string[];
}

/** The needs of a contract, by their path in the target file. */
export type Needs = Readonly<Record<string, Need>>;

/** The purpose of a need, the value at its path in a target file, and the needs that together replace it. */
type NeedRow = readonly [purpose: string, value: string, or?: readonly string[]];

/** Builds needs by path. A row gives the value at its path; a full `Need` gives a line that holds more than that. */
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

/** A level of a contract. It includes the previous one; a requirement belongs to the first level with all its needs. */
export interface Level<NeedName extends string = string> {
  readonly name: string;
  /** What a deployment that meets the level has shown, in a sentence. */
  readonly summary: string;
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

/** Declares a requirement of one strength, with conditions or just needs; `.universal`: a check judges every exchange. */
export const stated = saying('stated');
export const implied = saying('implied');
export const open = saying('open');

/** Declares several requirements with the same strength and conditions, by slug. */
export function all<const Slug extends string>(
  say: Say,
  conditions: Conditions | readonly string[],
  statements: Readonly<Record<Slug, string>>,
): Readonly<Record<Slug, Entry>> {
  return mapped(statements, (statement) => say(statement, conditions));
}

/** A clause with its requirements, by slug. */
export interface Part<Slug extends string = string> {
  readonly anchor: string;
  /** Undefined if another section registers the clause. */
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

/** Reasons for judging nothing that apply to many clauses. */
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

/** Declares a clause without requirements, and why; `excluded.heading(…)` and its siblings use a common reason. */
export const excluded = Object.assign(
  excluding,
  mapped(reasons, (reason) => (anchor: string, where: string) => excluding(anchor, where, reason)),
);

/** Adds requirements to a clause that is declared elsewhere, or open ones to an excluded clause. */
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

/** Merges all sections of a contract, in document order: requirements by id and clauses by anchor. */
export function merged<Id extends string>(sections: readonly Section<Id>[]) {
  const requirements: Record<string, Requirement> = {};
  const clauses: Record<string, Clause> = {};
  for (const one of sections) {
    Object.assign(requirements, one.requirements);
    Object.assign(clauses, one.clauses);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the sections declares each id
  return { clauses, requirements: requirements as Readonly<Record<Id, Requirement>> };
}
