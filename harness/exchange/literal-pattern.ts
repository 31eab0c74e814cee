/** Paths with `{id}` as patterns. */

/** The signs that mean something in a pattern whose flag is `u`; a dash means nothing outside a class, and must not be escaped. */
const SIGNS = /[$()*+./?[\\\]^{|}]/gu;

/**
 * The source of a pattern that matches a path just as it is written, with `segment`, the source of a pattern, wherever it has
 * `{id}`. To be compiled with the flag `u`.
 */
export function literalPattern(path: string, segment: string): string {
  return path
    .split('{id}')
    .map((part) => part.replaceAll(SIGNS, String.raw`\$&`))
    .join(segment);
}
