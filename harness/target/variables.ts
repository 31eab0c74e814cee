/**
 * `${NAME}` in a target file. YAML gives braces a meaning of their own inside `{ … }`, where `${NAME}` and `/{id}`
 * would be syntax errors, so they are hidden from the YAML parser behind stand-ins of the same length: every
 * position stays true.
 */

const OPEN = '\uF8F0';
const CLOSE = '\uF8F1';
const variable = /\$\{([^{}\n]*)\}/gu;
const pathParameter = /(?<=\/)\{([A-Za-z]+)\}/gu;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** The source as the YAML parser may see it, position for position. */
export function hideBraces(source: string): string {
  return source
    .replace(variable, `$$${OPEN}$1${CLOSE}`)
    .replace(pathParameter, `${OPEN}$1${CLOSE}`);
}

/** The text as its author wrote it. */
export function showBraces(hidden: string): string {
  return hidden.replaceAll(OPEN, '{').replaceAll(CLOSE, '}');
}

/** True when the text is one variable and nothing else, and its name is no key in disguise. */
export function isPlainVariable(text: string): boolean {
  const inner = /^\$\{([^{}\n]*)\}$/u.exec(text)?.[1];
  return inner !== undefined && shownVariable(inner) === inner;
}

/** What stands between the braces as it may be shown: somebody may have put a key there instead of a name. */
export function shownVariable(inner: string): string {
  return /^([A-Z_][A-Z0-9_]*|[A-Za-z_]{1,40}(:?[-=?+]\w{0,5})?)$/u.test(inner) ? inner : '‹hidden›';
}

/** What became of the variables of one text. */
export interface Expansion {
  readonly text: string;
  /** Variables that the environment does not set. */
  readonly missing: readonly string[];
  /** Variables that are set to nothing. */
  readonly empty: readonly string[];
  /** What stands between braces and cannot name a variable. */
  readonly misnamed: readonly string[];
  /** True when the text had any variable. */
  readonly any: boolean;
}

/** Puts the environment's values in place; values are taken as they are and not expanded again. */
export function expandVariables(text: string, environment: NodeJS.ProcessEnv): Expansion {
  const missing: string[] = [];
  const empty: string[] = [];
  const misnamed: string[] = [];
  let any = false;
  const expanded = text.replace(variable, (_, inner: string) => {
    any = true;
    const value = name.test(inner) ? environment[inner] : undefined;
    if (!name.test(inner)) misnamed.push(inner);
    else if (value === undefined) missing.push(inner);
    else if (value === '') empty.push(inner);
    return value ?? '';
  });
  return { text: expanded, missing, empty, misnamed, any };
}
