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

/** What the author of a catalogue file writes for one requirement. The id comes from where it stands. */
export interface RequirementEntry<
  ClauseAnchor extends string = string,
  NeedName extends string = string,
> {
  /** Anchor of the clause that says it, a key of the contract's clause register. */
  readonly clause: ClauseAnchor;
  readonly strength: Strength;
  /** The requirement in our own words: one sentence that one verdict can answer. */
  readonly statement: string;
  /** How it is judged, in a sentence, where the statement alone does not tell. */
  readonly judged?: string;
  /** What a target file must offer before it can be exercised, beyond the one key that every target has. */
  readonly needs?: readonly NeedName[];
  /** True when a check over every exchange judges it, whoever made the exchange. */
  readonly universal?: boolean;
  /** True of a universal requirement that cases set out to judge, too: selected alone, it needs no others. */
  readonly hasCases?: boolean;
  /** Why no fault of the reference can prove it alone; absent when one does. */
  readonly unprovable?: string;
}

/** One judged statement of a contract. */
export interface Requirement extends RequirementEntry {
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

type IdsOf<C extends Contract, S extends string, E> = `${C}.${S}.${keyof E & string}`;

/**
 * Makes the function that a contract's section files use to declare their requirements.
 * Types hold every clause anchor and need to the contract's own registers.
 */
export function declareRequirements<
  const C extends Contract,
  ClauseAnchor extends string,
  NeedName extends string,
>(contract: C) {
  return function section<
    const S extends string,
    const E extends Readonly<Record<string, RequirementEntry<ClauseAnchor, NeedName>>>,
  >(name: S, entries: E): Readonly<Record<IdsOf<C, S, E>, Requirement>> {
    const declared: Record<string, Requirement> = {};
    for (const [slug, entry] of Object.entries(entries)) {
      const id = `${contract}.${name}.${slug}`;
      declared[id] = { ...entry, id, contract, section: name };
    }
    return declared as Record<IdsOf<C, S, E>, Requirement>;
  };
}
