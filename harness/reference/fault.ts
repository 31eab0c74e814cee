/** The language of the fault tables. A fault deliberately violates the requirements that it names, and no others. */

/** Returns the rules to replace. Called once per deployment, so state in its closure belongs to that deployment. */
export type Patch<R> = (rules: R) => Partial<R>;

/** One named violation of a contract. `R` is the set of rules of a reference deployment. */
export interface Fault<R> {
  /** A readable slug, unique within its contract: `size-201-accepted`. */
  readonly name: string;
  /** What the broken server does, as one sentence in the present tense. */
  readonly summary: string;
  /** Id of the requirement that the suite must report as broken. */
  readonly aims: string;
  /** Ids of further requirements that the suite must report as broken. */
  readonly besides: readonly string[];
  /** Requirements whose cases trigger the fault, for broken requirements without cases. The proof runs these first. */
  readonly exercisedBy?: readonly string[];
  readonly patch: (rules: R) => R;
  /** Replaces the clock of the deployment (milliseconds since the epoch). Called once for every start. */
  readonly clock?: () => () => number;
  /** Number of instances of the primary account, given where the default number would hide the fault. */
  readonly instances?: number;
}

/** A row of a fault table: a patch alone, or a patch with a clock or a number of instances. */
export type Row<R> =
  | Patch<R>
  | (Pick<Fault<R>, 'clock' | 'instances'> & { readonly patch: Patch<R> });

/** The start options of a deployment that has all of these faults at once. */
export function brokenBy<R>(faults: readonly Pick<Fault<R>, 'patch' | 'clock' | 'instances'>[]): {
  readonly patch: (rules: R) => R;
  readonly now?: () => number;
  readonly instances?: number;
} {
  const now = faults.find(({ clock }) => clock !== undefined)?.clock?.();
  const instances = faults.find((one) => one.instances !== undefined)?.instances;
  return {
    ...(now === undefined ? {} : { now }),
    ...(instances === undefined ? {} : { instances }),
    patch: (rules) => {
      let patched = rules;
      for (const { patch } of faults) patched = patch(patched);
      return patched;
    },
  };
}

type Call = (...args: never[]) => unknown;
type RuleName<R> = { [K in keyof R]: R[K] extends Call ? K : never }[keyof R] & string;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer T ? T : never;
type Original<F> = (...args: Arguments<F>) => Result<F>;
type Test<F> = (...args: Arguments<F>) => boolean;
/** Decides in place of a rule. It receives the original rule and then the rule's arguments. */
type Decide<F> = (original: Original<F>, ...args: Arguments<F>) => Result<F>;
type Change<F> = (result: Result<F>, ...args: Arguments<F>) => Result<F>;
type Act<F> = (...args: Arguments<F>) => void;

/** Values of the rows of a table, by row key. */
export type Rows<A> = Readonly<Record<string, A>>;

/** The functions that build patches and fault tables for the rules of one contract. */
export function faultLanguage<R extends object>() {
  type Patched = (rules: R) => R;

  function around<K extends RuleName<R>>(
    rule: K,
    decide: (original: Original<R[K]>, ...args: Arguments<R[K]>) => unknown,
  ): Patched {
    return (rules) => {
      const held: unknown = rules[rule];
      if (typeof held !== 'function') throw new TypeError(`"${rule}" is no rule`);
      const original: Original<R[K]> = (...args) => Reflect.apply(held, rules, args);
      return { ...rules, [rule]: (...args: Arguments<R[K]>) => decide(original, ...args) };
    };
  }

  /** Replaces a rule. `decide` receives the original rule first. */
  function replace<K extends RuleName<R>>(rule: K, decide: Decide<R[K]>): Patched {
    return around(rule, decide);
  }

  /** Where `when` holds, the rule returns `instead`: a value, or the result of calling it with the rule's arguments. */
  function forces<K extends RuleName<R>>(
    rule: K,
    instead: Result<R[K]> | Original<R[K]>,
    when: Test<R[K]>,
  ): Patched {
    return around(rule, (original, ...args) => {
      if (!when(...args)) return original(...args);
      return typeof instead === 'function' ? Reflect.apply(instead, undefined, args) : instead;
    });
  }

  /** Where `when` holds, the rule throws. */
  function fails<K extends RuleName<R>>(rule: K, error: () => Error, when: Test<R[K]>): Patched {
    return around(rule, (original, ...args) => {
      if (when(...args)) throw error();
      return original(...args);
    });
  }

  /** Changes the result of a rule. */
  function amend<K extends RuleName<R>>(rule: K, change: Change<R[K]>): Patched {
    return around(rule, (original, ...args) => change(original(...args), ...args));
  }

  /** Runs `act` before the rule. `act` may throw. */
  function before<K extends RuleName<R>>(rule: K, act: Act<R[K]>): Patched {
    return around(rule, (original, ...args) => {
      act(...args);
      return original(...args);
    });
  }

  /** Builds one patch for each row of a table. */
  function rows<A>(make: (of: A) => Patch<R>, table: Rows<A>): Rows<Patch<R>> {
    return Object.fromEntries(Object.entries(table).map(([key, of]) => [key, make(of)]));
  }

  /** Merges the rows that `make` returns for each item. */
  function gathered<const T>(all: readonly T[], make: (of: T) => Rows<Row<R>>): Rows<Row<R>> {
    return Object.fromEntries(all.flatMap((one) => Object.entries(make(one))));
  }

  /** The same functions for tables of faults in one rule, where only the last argument differs from row to row. */
  const each = {
    replace: <K extends RuleName<R>>(rule: K, table: Rows<Decide<R[K]>>) =>
      rows((decide: Decide<R[K]>) => replace(rule, decide), table),
    forces: <K extends RuleName<R>>(
      rule: K,
      instead: Result<R[K]> | Original<R[K]>,
      table: Rows<Test<R[K]>>,
    ) => rows((when: Test<R[K]>) => forces(rule, instead, when), table),
    fails: <K extends RuleName<R>>(rule: K, error: () => Error, table: Rows<Test<R[K]>>) =>
      rows((when: Test<R[K]>) => fails(rule, error, when), table),
    amend: <K extends RuleName<R>>(rule: K, table: Rows<Change<R[K]>>) =>
      rows((change: Change<R[K]>) => amend(rule, change), table),
    before: <K extends RuleName<R>>(rule: K, table: Rows<Act<R[K]>>) =>
      rows((act: Act<R[K]>) => before(rule, act), table),
  };

  /** `isDue` returns true on every `every`th call. Each deployment has its own counter. */
  function nowAndThen(every: number, patch: (isDue: () => boolean) => Patch<R>): Patch<R> {
    return (rules) => {
      let count = 0;
      return patch(() => ++count % every === 0)(rules);
    };
  }

  /** Applies patches one after the other. */
  function chained(...patches: readonly Patch<R>[]): (rules: R) => R {
    return (rules) => {
      const patched = { ...rules };
      for (const patch of patches) Object.assign(patched, patch({ ...patched }));
      return patched;
    };
  }

  /**
   * The faults of one section. The key of a row is `aim: name`, or `aim + other, met by another: name` in full: `aim`
   * and `other` are the broken requirements, and `another` has the cases that trigger the fault (see `exercisedBy`). A
   * requirement id without a dot belongs to `section`.
   */
  function faultTable(section: string, table: Rows<Row<R>>): readonly Fault<R>[] {
    const idOf = (slug: string): string => (slug.includes('.') ? slug : `${section}.${slug}`);
    return Object.entries(table).map(([key, row]) => {
      const [requirements = '', name = ''] = key.split(': ');
      const [broken = '', met] = requirements.split(', met by ');
      const [aim = '', ...more] = broken.split(' + ');
      const { patch, ...others } = typeof row === 'function' ? { patch: row } : row;
      return {
        ...others,
        name,
        summary: sentence(name),
        aims: idOf(aim),
        besides: more.map(idOf),
        ...(met !== undefined && { exercisedBy: met.split(', ').map(idOf) }),
        patch: chained(patch),
      };
    });
  }

  return {
    replace,
    forces,
    fails,
    amend,
    before,
    rows,
    gathered,
    each,
    nowAndThen,
    chained,
    faultTable,
  };
}

/** A slug as a sentence: `walk-starts-over` becomes "Walk starts over." */
function sentence(slug: string): string {
  return `${slug.slice(0, 1).toUpperCase()}${slug.slice(1).replaceAll('-', ' ')}.`;
}
