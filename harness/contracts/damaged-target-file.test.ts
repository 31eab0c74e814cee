import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TargetFileError } from '../target/problem.ts';
import { parseTarget } from './target-file.ts';

const secret = 'Zq7Rk29xWb51LmTg83Vd';
/** Length of a part of the secret that must not be shown. */
const TELLING = 10;

const whole = `contract: router
baseUrl: http://127.0.0.1:4100 # loopback: keys may be written out
keys:
  client: ${secret}
  admin: "${secret}A"
  allowlisted: { key: ${secret}B, allows: a, denies: b }
  tokensPerDay:
    - { key: '${secret}C', limit: 2000 }
models: { chat: a, hidden: { id: c, from: allowlisted } }
backend: { listen: [ 127.0.0.1:9100 ] }
consent: { saturate: true }
`;

/** The message for the author; empty when the file is accepted. Any error but a `TargetFileError` is a bug. */
function told(text: string): string {
  try {
    parseTarget(text, 'my.yaml', {});
    return '';
  } catch (error) {
    if (error instanceof TargetFileError) return error.message;
    throw error;
  }
}

const at = fc.nat(whole.length);
const piece = fc.oneof(
  fc.constantFrom(...Array.from('{}[]"\'#|>,\t\n'), ':', ': ', '  ', '- ', '&a ', '*a', '!t '),
  fc.constantFrom('---\n', '${X}', '${', 'keys:\n', '? '),
  fc.string({ maxLength: 3 }),
);
const damaged = fc
  .array(fc.tuple(at, fc.nat(12), piece), { minLength: 1, maxLength: 4 })
  .map((edits) =>
    edits.reduce(
      (text, [start, length, insert]) => text.slice(0, start) + insert + text.slice(start + length),
      whole,
    ),
  );

describe('a damaged target file', () => {
  it('is a file to begin with', () => {
    expect(told(whole)).toBe('');
  });

  it('is accepted or refused with a message that tells no key', () => {
    const windows = Array.from({ length: secret.length - TELLING + 1 }, (_, i) =>
      secret.slice(i, i + TELLING),
    );
    fc.assert(
      fc.property(damaged, (text) => {
        const message = told(text);
        expect(windows.filter((window) => message.includes(window))).toEqual([]);
      }),
      { numRuns: 1_500, seed: 1 },
    );
  });

  it('of any text is refused in the same way', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
          fc.json(),
        ),
        (text) => {
          expect(told(text)).toMatch(/^my\.yaml:\d+:\d+: /u);
        },
      ),
      { numRuns: 500, seed: 1 },
    );
  });
});
