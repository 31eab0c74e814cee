/** A server's text as a person may safely see it: nothing in it steers a terminal or turns the line around. */

/** Controls, and the marks that hide text or change its direction; line feed and tab may stay. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

/** Replaces what cannot be seen, or would act, by `\u{…}`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** The same in one line, cut to `limit` characters. */
export function visibleLine(text: string, limit = 300): string {
  const line = visibleText(text.replaceAll(/\s+/gu, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
