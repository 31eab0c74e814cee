/** A plain table whose first column names its rows. */

import { markup, type Markup } from './markup.ts';

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): Markup {
  return markup`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>${heads.map((head) => markup`<th class="head" scope="col">${head}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            markup`<tr><th scope="row">${first}</th>${others.map((cell) => markup`<td>${cell}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
