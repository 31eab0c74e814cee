/**
 * The one door between text and markup. Whatever a template is given is text and gets escaped, unless it was
 * made by a template itself.
 */

import { visibleText } from '../visible-text.ts';

/** Markup made by `markup`. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** Its size in the file, in bytes. */
  get bytes(): number {
    return Buffer.byteLength(this.#text);
  }
}

export type Content = string | number | Markup | undefined | readonly Content[];

/** A template of markup. Values belong between tags or inside quoted attributes, nowhere else. */
export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += rendered(value) + (parts[index + 1] ?? '');
  return new Markup(text);
}

/** Nothing. */
export const nothing: Markup = new Markup('');

/** Text as it may stand between tags and in quoted attributes. */
function escapeText(text: string): string {
  return visibleText(text).replaceAll(/[&<>"'`]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

function rendered(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(rendered).join('');
  return escapeText(String(value));
}
