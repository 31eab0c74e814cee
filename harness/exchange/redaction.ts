/** Takes secrets out of what a target sent back, in every form in which it could echo them. */

import { createHash } from 'node:crypto';
import type { Secret } from '../target/secret.ts';

/** Secrets shorter than this would match by chance. */
const SHORTEST = 6;

export class Redactor {
  readonly #forms: readonly (readonly [form: string, instead: string])[];

  constructor(secrets: Iterable<Secret>) {
    const forms = new Map<string, string>();
    for (const secret of secrets) {
      const value = secret.reveal();
      if (value.length < SHORTEST) continue;
      for (const form of formsOf(value)) forms.set(form, String(secret));
    }
    // Longest first: a form that contains another is replaced whole.
    this.#forms = [...forms].toSorted(([one], [other]) => other.length - one.length);
  }

  /** The text without any secret. */
  text(text: string): string {
    let clean = text;
    for (const [form, instead] of this.#forms) {
      if (clean.includes(form)) clean = clean.replaceAll(form, instead);
    }
    return clean;
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
