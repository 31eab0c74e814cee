/** Text as it may stand in an XML document, whatever a server put in it. */

import { visibleText } from './visible-text.ts';

/** What XML 1.0 cannot hold even escaped is shown as `\u{…}`. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replaceAll(
      /[\uFFFE\uFFFF]/gu,
      (sign) => `\\u{${sign.charCodeAt(0).toString(16).toUpperCase()}}`,
    )
    .replaceAll(/[&<>"'\n\t]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}
