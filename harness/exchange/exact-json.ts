/**
 * JSON as it was written: a member that stands twice in one object is not the last of its values, and an integer that no
 * double holds is a bigint, so that two ids that differ stay two (RFC 8259 sections 4 and 6).
 */

/** The values of a member that stands more than once in its object. It is of no type that a contract asks for. */
export class RepeatedMember {
  readonly repeated: readonly unknown[];
  constructor(repeated: readonly unknown[]) {
    this.repeated = repeated;
  }
}

const TOKEN = /\s*([[\]{}:,]|"(?:[^"\\]|\\.)*"|[^\s[\]{}:,"]+)/uy;

/** The value of a JSON text, with members that are repeated for what they are. @throws {SyntaxError} for what is no JSON */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // What is written as we would write it repeats nothing: most answers need no second reading.
  return JSON.stringify(value) === text ? value : new Reader(text).value();
}

/** Digits beyond which an integer is no id, and costs too much to read. */
const MAX_DIGITS = 100;

/** True for the text of an integer that is another one as a double. */
function isInexact(token: string): boolean {
  if (!/^-?\d+$/u.test(token) || token.length > MAX_DIGITS) return false;
  const double = Number(token);
  return !Number.isSafeInteger(double) && String(double) !== token;
}

/** A figure for comparisons by size: an integer that no double holds is the nearest that one does. */
export function figureOf(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Reads a text that is known to be JSON, once more. */
class Reader {
  readonly #tokens: Iterator<string>;

  constructor(text: string) {
    const tokens: string[] = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      tokens.push(match[1] ?? '');
    }
    this.#tokens = tokens[Symbol.iterator]();
  }

  value(first = this.#next()): unknown {
    if (first === '{') return this.#object();
    if (first !== '[') return isInexact(first) ? BigInt(first) : JSON.parse(first);
    const items: unknown[] = [];
    for (let token = this.#next(); token !== ']'; token = this.#next()) {
      if (token !== ',') items.push(this.value(token));
    }
    return items;
  }

  #object(): unknown {
    const members = new Map<string, unknown[]>();
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      if (token === ',') continue;
      const name = String(JSON.parse(token));
      this.#next();
      members.set(name, [...(members.get(name) ?? []), this.value()]);
    }
    return Object.fromEntries(
      Array.from(members, ([name, values]) => [
        name,
        values.length === 1 ? values[0] : new RepeatedMember(values),
      ]),
    );
  }

  #next(): string {
    const { value, done } = this.#tokens.next();
    if (done === true) throw new SyntaxError('the text ends early');
    return value;
  }
}
