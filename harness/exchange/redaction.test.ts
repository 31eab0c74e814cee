import { constantFrom, property, assert, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { Secret } from '../target/keys.ts';
import { Redactor } from './redaction.ts';

const key = 'sk-live/4+9=é"quoted"';
const redactor = new Redactor([new Secret('key:primary', key)]);

function codeOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Every byte as two hexadecimal digits after a mark. */
function escapedAs(mark: string, value: string): string {
  return Buffer.from(value)
    .toString('hex')
    .replaceAll(/../gu, (digits) => `${mark}${digits}`);
}

function rot13(value: string): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return value.replaceAll(/[a-z]/gu, (one) => letters[(letters.indexOf(one) + 13) % 26] ?? one);
}

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
  'URL-encoded to the last character': (value) => escapedAs('%', value),
  'URL-encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'URL-encoded in part': (value) => `${escapedAs('%', value.slice(0, 5))}${value.slice(5)}`,
  'quoted-printable with a soft line break': (value) =>
    `${escapedAs('=', value.slice(0, 9))}=\r\n${escapedAs('=', value.slice(9))}`,
  'escaped as JSON may': (value) => Array.from(value, (one) => `\\u${codeOf(one, 4)}`).join(''),
  'escaped as a language may': (value) => escapedAs('\\x', value),
  'HTML entities by number': (value) =>
    Array.from(value, (one) => `&#${one.charCodeAt(0)};`).join(''),
  'HTML entities by hexadecimal number': (value) =>
    Array.from(value, (one) => `&#x${codeOf(one, 2)};`).join(''),
  'HTML entities by name': (value) => value.replaceAll('"', '&quot;').replaceAll('+', '&plus;'),
  'UTF-16': (value) => Buffer.from(value, 'utf16le').toString('latin1'),
  'UTF-16, the other order': (value) => Buffer.from(value, 'utf16le').swap16().toString('latin1'),
  'UTF-32': (value) => Array.from(value, (one) => `${one}\0\0\0`).join(''),
  'UTF-32, the other order': (value) => Array.from(value, (one) => `\0\0\0${one}`).join(''),
  'base64 of UTF-16': (value) => Buffer.from(value, 'utf16le').toString('base64'),
  backwards: (value) => Array.from(value).toReversed().join(''),
  'ROT13 in capitals': (value) => rot13(value).toUpperCase(),
  spaced: (value) => Array.from(value).join(' '),
  dashed: (value) => Array.from(value).join('-'),
  'a list of characters': (value) => Array.from(value).join('","'),
  'spaced by escapes': (value) => escapedAs('%20%', value),
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

test('one character that is escaped, again and again, hides a key no more than all of them', () => {
  const far = ' of no note'.repeat(500);
  const characters = Array.from(key);
  for (const escaped of ['%25', '%2525', '%252525'].map(
    (mark) => (at: string) => mark + codeOf(at, 2),
  )) {
    for (const at of [0, 1, 9, characters.length - 1]) {
      for (const between of ['', '-', '....']) {
        const dressed = characters
          .map((one, place) => (place === at ? escaped(one) : one))
          .join(between);
        expect(redactor.text(`${far}${dressed}${far}`)).toBe(`${far}‹key:primary›${far}`);
      }
    }
  }
});

test('escapes upon escapes cost little more than plain text', () => {
  const small = new Redactor([new Secret('key:primary', 'sk-very-secret')]);
  const costOf = (text: string): number => {
    const turns = Array.from({ length: 5 }, () => {
      const from = process.cpuUsage();
      small.text(text);
      return process.cpuUsage(from).user;
    });
    return Math.min(...turns);
  };
  const size = 2 ** 20;
  const nested = costOf('%2525'.repeat(size / 5));
  expect(nested).toBeLessThan(6 * costOf('of no note '.repeat(size / 11)));
});
