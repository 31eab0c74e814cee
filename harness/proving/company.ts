/**
 * Conforming choices that do not touch one another, made by one deployment: a whole run takes as long for four of them as
 * for one, and the suite must be right about what they do together, too.
 */

/** What a deployment may be started with beside the choices of others; everything else stands alone. */
export interface CombinableOptions {
  readonly choices?: object;
  /** Other rules, which may decide anything: only one of a company. */
  readonly patch?: unknown;
  /** Other content: only one of a company. */
  readonly population?: unknown;
  readonly presets?: unknown;
  readonly configure?: unknown;
}

export interface Combinable<Options> {
  readonly name: string;
  readonly options: () => Options;
}

/** Members of one company: more would hide one another. */
const MOST = 5;

/**
 * Puts variants into companies, in their order. Two are together when they choose different things, and only one of them
 * replaces rules or content; whoever changes anything else of a deployment (its speed, limits or company) stays alone.
 */
export function companies<Options extends CombinableOptions, V extends Combinable<Options>>(
  variants: readonly V[],
): readonly (readonly V[])[] {
  const open: { readonly members: V[]; readonly taken: Set<string> }[] = [];
  for (const variant of variants) {
    const options = variant.options();
    const touched = touchedBy(options);
    const company =
      touched === undefined
        ? undefined
        : open.find(
            ({ members, taken }) =>
              members.length < MOST && taken.size > 0 && touched.every((name) => !taken.has(name)),
          );
    if (company === undefined) open.push({ members: [variant], taken: new Set(touched) });
    else {
      company.members.push(variant);
      for (const name of touched ?? []) company.taken.add(name);
    }
  }
  return open.map(({ members }) => members);
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

/** What options decide, by name; undefined for options that stand alone. */
function touchedBy(options: CombinableOptions): readonly string[] | undefined {
  const { choices = {}, patch, population, presets, configure, ...others } = options;
  if (Object.keys(others).length > 0) return undefined;
  const content = population ?? presets ?? configure;
  return [
    ...Object.keys(choices),
    ...(patch === undefined ? [] : [' rules']),
    ...(content === undefined ? [] : [' content']),
  ];
}
