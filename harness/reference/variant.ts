/** The form of a conforming variant: a deployment that decides otherwise where the contract is open. */

import type { Rows } from './fault.ts';

export interface Variant<Options> {
  /** A readable slug, unique within the contract. */
  readonly name: string;
  /** What it does otherwise, as one sentence in the present. */
  readonly summary: string;
  /** How it is started; made anew for every start. */
  readonly options: () => Options;
  /** Implied requirements of which it may be warned: it decides otherwise than a careful reader would expect. */
  readonly warns?: readonly string[];
  /** True for what would hide the choices of others: it stands by itself. */
  readonly solo?: boolean;
  /** Members of the target file, by their paths, that this deployment's file leaves out. */
  readonly omits?: readonly string[];
}

/** What holds for all variants of a table. */
export type Terms = Pick<Variant<unknown>, 'warns' | 'solo'>;

/** Variants, each a row `name: What it does otherwise.`; `options` makes of a row what the deployment is started with. */
export function variantTable<Row, Options>(
  table: Rows<Row>,
  options: (row: Row) => Options,
  terms: Terms = {},
): readonly Variant<Options>[] {
  return Object.entries(table).map(([key, row]) => {
    const [, name = '', summary = ''] = /^(.*?): (.*)$/u.exec(key) ?? [];
    return { name, summary, options: () => options(row), ...terms };
  });
}

/** The usual deployment under a target file that says less of it: each row has the paths of what the file leaves out. */
export function describedInPart(table: Rows<readonly string[]>): readonly Variant<object>[] {
  const paths = Object.values(table);
  return variantTable(table, () => ({}), { solo: true }).map((variant, at) => ({
    ...variant,
    omits: paths[at] ?? [],
  }));
}

/** Options of which those that leave the contract's open points to the deployment stand apart. */
export interface Choosing {
  readonly choices?: object;
}

/** What a deployment is started with that goes by all of these variants: choices add up, and anything else only one decides. */
export function chosenBy<Options extends Choosing>(
  variants: readonly Pick<Variant<Options>, 'options'>[],
): Partial<Options> {
  const all = variants.map(({ options }) => options());
  const choices = Object.assign({}, ...all.map((options) => options.choices));
  return Object.assign({}, ...all, { choices });
}
