/** The mark in a user's text by which a request names its script: `[[plumbline:ID]]`. */

const opening = '[[plumbline:';
const closing = ']]';
const longestId = 64;

/** The mark of a script, to be put anywhere in the text of a request. */
export function markerOf(id: string): string {
  return `${opening}${id}${closing}`;
}

/**
 * The first script named in a raw body that `isKnown`.
 * It looks at bytes, not at JSON: agents may rewrite the body, and a malformed one has a script too. No character of a mark is escaped in JSON.
 */
export function findScript(body: Buffer, isKnown: (id: string) => boolean): string | null {
  let from = body.indexOf(opening);
  while (from !== -1) {
    const start = from + opening.length;
    const rest = body.toString('latin1', start, start + longestId + closing.length);
    const end = rest.indexOf(closing);
    if (end !== -1 && isKnown(rest.slice(0, end))) return rest.slice(0, end);
    from = body.indexOf(opening, start);
  }
  return null;
}
