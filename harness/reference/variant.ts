/** A conforming variant: a deployment with another choice where the contract is open. */

import type { Rows } from './fault.ts';

export interface Variant<Options> {
  /** A readable slug, unique within the contract. */
  readonly name: string;
  /** What differs from the default deployment, as one sentence in the present tense. */
  readonly summary: string;
  /** The start options. Called once for every start. */
  readonly options: () => Options;
  /** Implied requirements that may be `warned`: the variant chooses something that a careful reader would not expect. */
  readonly warns?: readonly string[];
  /** True for a variant that would hide the choices of others. It is never combined with them. */
  readonly solo?: boolean;
  /** Members of the target file, by their paths, that this deployment's file leaves out. */
  readonly omits?: readonly string[];
}

/** Properties that all variants of a table share. */
export type Terms = Pick<Variant<unknown>, 'warns' | 'solo'>;

/** The variants of a table with rows `name: What differs.`; `options` turns the value of a row into start options. */
export function variantTable<Row, Options>(
  table: Rows<Row>,
  options: (row: Row) => Options,
  terms: Terms = {},
): readonly Variant<Options>[] {
  return Object.entries(table).map(([key, row]) => ({
    ...titled(key),
    options: () => options(row),
    ...terms,
  }));
}

/** The parts of a row's key. */
function titled(key: string): Pick<Variant<unknown>, 'name' | 'summary'> {
  const [, name = '', summary = ''] = /^(.*?): (.*)$/u.exec(key) ?? [];
  return { name, summary };
}

/** The default deployment with a shorter target file: the value of a row is the paths of the members that it leaves out. */
export function describedInPart(table: Rows<readonly string[]>): readonly Variant<object>[] {
  return Object.entries(table).map(([key, omits]) => ({
    ...titled(key),
    options: () => ({}),
    solo: true,
    omits,
  }));
}

/** Start options with a separate member for the choices in what the contract leaves open. */
export interface Choosing {
  readonly choices?: object;
}

/** Start options of a deployment with all of these variants. Choices are merged; any other option comes from one only. */
export function chosenBy<Options extends Choosing>(
  variants: readonly Pick<Variant<Options>, 'options'>[],
): Partial<Options> {
  const all = variants.map(({ options }) => options());
  const choices = Object.assign({}, ...all.map((options) => options.choices));
  return Object.assign({}, ...all, { choices });
}
