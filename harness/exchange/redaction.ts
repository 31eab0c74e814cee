/** Takes secrets out of what a target sent back, in every form in which it could echo them. */

import { createHash } from 'node:crypto';
import type { Secret } from '../target/keys.ts';

/** Secrets shorter than this would match by chance. */
const SHORTEST = 6;

/** Forms are found by how they begin and how long they are: thousands of secrets cost little more than one. */
const BEGINNING = 4;

const PAIRS = 2 ** 16;

/** A number for the two units at `at`; others may share it. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) % PAIRS;
}

interface Alike {
  /** Of the forms, the longest first: a form that contains another is replaced whole. */
  lengths: readonly number[];
  readonly instead: Map<string, string>;
}

export class Redactor {
  readonly #forms = new Map<string, Alike>();
  /** Whether some form begins with two units of this sum: most places of a text are passed over by it. */
  readonly #begun = new Uint8Array(PAIRS);

  constructor(secrets: Iterable<Secret>) {
    for (const secret of secrets) this.add(secret);
  }

  /** From here on this secret is taken out, too. */
  add(secret: Secret): void {
    const value = secret.reveal();
    if (value.length < SHORTEST) return;
    for (const form of formsOf(value)) {
      const beginning = form.slice(0, BEGINNING);
      const alike: Alike = this.#forms.get(beginning) ?? { lengths: [], instead: new Map() };
      this.#forms.set(beginning, alike);
      this.#begun[pairAt(form, 0)] = 1;
      alike.instead.set(form, String(secret));
      if (alike.lengths.includes(form.length)) continue;
      alike.lengths = [...alike.lengths, form.length].toSorted((one, other) => other - one);
    }
  }

  /** The text without any secret. */
  text(text: string): string {
    let clean = '';
    let from = 0;
    for (let at = 0; at + BEGINNING <= text.length; at += 1) {
      if (this.#begun[pairAt(text, at)] === 0) continue;
      const alike = this.#forms.get(text.slice(at, at + BEGINNING));
      const length = alike?.lengths.find((one) => alike.instead.has(text.slice(at, at + one)));
      if (alike === undefined || length === undefined) continue;
      clean += text.slice(from, at) + (alike.instead.get(text.slice(at, at + length)) ?? '');
      from = at + length;
      at = from - 1;
    }
    return from === 0 ? text : clean + text.slice(from);
  }
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const sha256 = createHash('sha256').update(bytes).digest();
  return [
    value,
    // Logs and gateways change the case of what they echo.
    value.toLowerCase(),
    value.toUpperCase(),
    ...urlForms(value),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
    ...eitherCase(bytes.toString('hex')),
    ...eitherCase(sha256.toString('hex')),
    sha256.toString('base64'),
    sha256.toString('base64url'),
  ];
}

/** Escaped for a query, a form or a path; the digits of an escape may be written in either case (RFC 3986 section 2.1). */
function urlForms(value: string): readonly string[] {
  const escaped = [
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ '': value }).toString().slice(1),
  ];
  return escaped.flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/gu, (escape) => escape.toLowerCase()),
  ]);
}

function eitherCase(hex: string): readonly string[] {
  return [hex, hex.toUpperCase()];
}

/**
 * Base64 of the secret at each of the three offsets at which it can stand inside a longer text
 * (`user:secret`, a JSON body), less the digits at both ends that the neighbours decide.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64'), padded.toString('base64url')].map((text) =>
      text.slice(first, whole),
    );
  });
}
