/** Deliberate violations: each breaks what it says it breaks, and nothing else. The language that they are written in. */

/**
 * Rules in the place of those that hold. Called once per started deployment, so state that a patch keeps in its closure
 * (a counter, a set of ids) belongs to that deployment alone.
 */
export type Patch<R> = (rules: R) => Partial<R>;

/** One named violation of a contract. `R` is the set of rules of a reference deployment. */
export interface Fault<R> {
  /** A readable slug, unique within its contract: `size-201-accepted`. */
  readonly name: string;
  /** What the broken server does, as one sentence in the present. */
  readonly summary: string;
  /** Id of the requirement that a suite must find broken. */
  readonly aims: string;
  /** Requirements that it must find broken beside that one. */
  readonly besides: readonly string[];
  /**
   * Requirements whose cases come by what is wrong, where those that are broken have no such cases: they are judged
   * on every answer. A proof looks there first.
   */
  readonly exercisedBy?: readonly string[];
  readonly patch: (rules: R) => R;
  /** The clock of the deployment, in milliseconds since the epoch, where it matters; made anew for every start. */
  readonly clock?: () => () => number;
  /** How many instances the primary account has, where the default number does not show what is wrong. */
  readonly instances?: number;
}

/** A row of a table of faults: a patch alone, or with what else there is to say. */
export type Row<R> =
  | Patch<R>
  | (Pick<Fault<R>, 'clock' | 'instances'> & { readonly patch: Patch<R> });

/** What a deployment is started with to have all of these faults at once. */
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
/** What a rule decides; it gets the one that holds before its arguments. */
type Decide<F> = (original: Original<F>, ...args: Arguments<F>) => Result<F>;
type Change<F> = (result: Result<F>, ...args: Arguments<F>) => Result<F>;
type Act<F> = (...args: Arguments<F>) => void;

/** What the rows of a table are made of, by their keys. */
export type Rows<A> = Readonly<Record<string, A>>;

/** The words of the language, for the rules of one contract. */
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

  /** Decides anew what a rule decides. */
  function replace<K extends RuleName<R>>(rule: K, decide: Decide<R[K]>): Patched {
    return around(rule, decide);
  }

  /** Where `when` holds, a rule gives something else: a value, or what comes of its arguments. */
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

  /** A rule fails where `when` holds. */
  function fails<K extends RuleName<R>>(rule: K, error: () => Error, when: Test<R[K]>): Patched {
    return around(rule, (original, ...args) => {
      if (when(...args)) throw error();
      return original(...args);
    });
  }

  /** Changes what a rule gives. */
  function amend<K extends RuleName<R>>(rule: K, change: Change<R[K]>): Patched {
    return around(rule, (original, ...args) => change(original(...args), ...args));
  }

  /** Does something before a rule decides, or throws. */
  function before<K extends RuleName<R>>(rule: K, act: Act<R[K]>): Patched {
    return around(rule, (original, ...args) => {
      act(...args);
      return original(...args);
    });
  }

  /** Rows of a table that one maker makes. */
  function rows<A>(make: (of: A) => Patch<R>, table: Rows<A>): Rows<Patch<R>> {
    return Object.fromEntries(Object.entries(table).map(([key, of]) => [key, make(of)]));
  }

  /** Rows of a table that are made of each of some things. */
  function gathered<const T>(all: readonly T[], make: (of: T) => Rows<Row<R>>): Rows<Row<R>> {
    return Object.fromEntries(all.flatMap((one) => Object.entries(make(one))));
  }

  /** The words once more, each for rows that break the same rule in the same way, and differ in the last argument. */
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

  /** Every so many times that `isDue` is asked, it holds; each deployment counts for itself. */
  function nowAndThen(every: number, patch: (isDue: () => boolean) => Patch<R>): Patch<R> {
    return (rules) => {
      let count = 0;
      return patch(() => ++count % every === 0)(rules);
    };
  }

  /** One patch after the other. */
  function chained(...patches: readonly Patch<R>[]): (rules: R) => R {
    return (rules) => {
      const patched = { ...rules };
      for (const patch of patches) Object.assign(patched, patch({ ...patched }));
      return patched;
    };
  }

  /**
   * Faults of one section, each a row `requirement: name`. Requirements that it breaks besides stand behind the one that it
   * aims at, and those whose cases come by it behind them: `requirement + other, met by another: name`. Those of the section
   * are named without it.
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

/** A slug as a sentence: `walk-starts-over` says "Walk starts over." */
function sentence(slug: string): string {
  return `${slug.slice(0, 1).toUpperCase()}${slug.slice(1).replaceAll('-', ' ')}.`;
}
