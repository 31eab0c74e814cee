import { constantFrom, property, assert, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { Secret } from '../target/keys.ts';
import { Redactor } from './redaction.ts';

const key = 'sk-live/4+9=é"quoted"';
const redactor = new Redactor([new Secret('key:primary', key)]);

const forms: Readonly<Record<string, (value: string) => string>> = {
  raw: (value) => value,
  'URL-encoded': encodeURIComponent,
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 behind a user name': (value) => Buffer.from(`user:${value}`).toString('base64'),
  'base64url inside JSON': (value) => Buffer.from(`{"k":"${value}"}`).toString('base64url'),
  'JSON text': (value) => JSON.stringify({ echoed: value }),
  'URL-encoded with small digits': (value) =>
    encodeURIComponent(value).replaceAll(/%../gu, (escape) => escape.toLowerCase()),
  'a form': (value) => new URLSearchParams({ key: value }).toString(),
  'small letters': (value) => value.toLowerCase(),
  'capital letters': (value) => value.toUpperCase(),
  hexadecimal: (value) => Buffer.from(value).toString('hex'),
  'hexadecimal in capitals': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'its hash': (value) => createHash('sha256').update(value).digest('hex'),
};

describe('a key that a target sends back', () => {
  test.for(Object.entries(forms))('%s is taken out wherever it stands', ([, form]) => {
    assert(
      property(string(), string(), (before, after) => {
        const clean = redactor.text(`${before}${form(key)}${after}`);
        expect(clean).toContain('‹key:primary›');
        expect(clean).not.toContain(form(key));
      }),
      { numRuns: 50 },
    );
  });

  test('text without it stays as it is', () => {
    assert(
      property(constantFrom('plain', '{"a":1}', 'sk-live', 'Bearer'), string(), (one, other) => {
        expect(redactor.text(one + other)).toBe(one + other);
      }),
    );
  });

  test('redacting twice changes nothing more', () => {
    const once = redactor.text(`a ${key} b`);
    expect(redactor.text(once)).toBe(once);
  });
});
