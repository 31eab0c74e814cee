import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { command, folderOfTest, one, type Ran, reportOf } from '../result-files.test.support.ts';

const openssl = process.env['OPENSSL'] ?? 'openssl';
const folder = folderOfTest();
let result: string;
beforeEach(() => {
  result = folder.write('conformance.json', reportOf({ held: [one] }));
});

const attestation = (): string => folder.file('attestation.json');
const publicKey = (): string => folder.file('key.pub.pem');

async function attest(...more: readonly string[]): Promise<Ran> {
  const files = ['--key', folder.file('key.pem'), '--out', attestation()];
  return command('attest', result, ...files, ...more);
}

async function verify(...more: readonly string[]): Promise<Ran> {
  return command('verify', attestation(), '--key', publicKey(), ...more);
}

/** Expects an exit code and a message on stderr. */
async function expectRefusal(asked: Promise<Ran>, code: number, says: string): Promise<string> {
  const ran = await asked;
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(says)]);
  return ran.stderr;
}

describe('a signed result', () => {
  beforeEach(async () => {
    await attest('--generate-key');
  });

  test('is verified, with what that proves and what not', async () => {
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^VERIFIED: .*conformance\.json\.\nResult: PASSED/u);
    expect(stdout).toContain('the same as that of this plumbline');
    expect(stdout).toContain('This does not prove:');
  });

  test('is signed with a key that only its owner can read, and of which nothing is told', async () => {
    const { mode } = statSync(folder.file('key.pem'));
    expect(mode & 0o777).toBe(0o600);
    const secret = readFileSync(folder.file('key.pem'), 'utf8').split('\n')[1] ?? 'no key';
    const { stdout, stderr } = await attest();
    expect(stdout + stderr + readFileSync(attestation(), 'utf8')).not.toContain(secret);
  });

  test('never takes the place of the result or of the key', async () => {
    for (const out of [result, folder.file('key.pem')]) {
      const before = readFileSync(out, 'utf8');
      await expectRefusal(attest('--out', out), 2, 'given twice');
      const asked = command('attest', result, '--key', folder.file('key.pem'), '--out', out);
      await expectRefusal(asked, 2, 'would replace');
      expect(readFileSync(out, 'utf8')).toBe(before);
    }
  });

  test('is not verified once the result has changed by a byte', async () => {
    writeFileSync(result, `${readFileSync(result, 'utf8')} `);
    await expectRefusal(verify(), 1, 'is not the file that was signed');
  });

  test('is not verified with another result, nor by another key', async () => {
    const other = folder.write('other.json', reportOf({ broken: [one] }));
    expect((await verify('--result', other)).code).toBe(1);
    const theirs = ['--key', folder.file('b.pem'), '--out', folder.file('b.json')];
    await command('attest', result, ...theirs, '--generate-key');
    const verified = command('verify', attestation(), '--key', folder.file('b.pub.pem'));
    await expectRefusal(verified, 1, 'no signature of it is by the key');
  });

  test('is looked for where it was named, and the option is told', async () => {
    await expectRefusal(verify('--result', folder.file('none.json')), 2, 'with --result.');
  });

  test('does not write over a key', async () => {
    await expectRefusal(attest('--generate-key'), 2, 'is there already');
  });

  test('is not verified with the private key in hand', async () => {
    const verified = command('verify', attestation(), '--key', folder.file('key.pem'));
    await expectRefusal(verified, 2, 'Verify with its public half');
  });
});

test('a key made by openssl signs and verifies', async ({ skip }) => {
  try {
    execFileSync(openssl, ['genpkey', '-algorithm', 'ed25519', '-out', folder.file('key.pem')]);
    execFileSync(openssl, ['pkey', '-in', folder.file('key.pem'), '-pubout', '-out', publicKey()]);
  } catch {
    skip('there is no openssl that knows Ed25519');
  }
  expect((await attest()).code).toBe(0);
  expect((await verify()).code).toBe(0);
});

describe('it is refused to sign', () => {
  test('without a key, with how to make one', async () => {
    await expectRefusal(attest(), 2, 'openssl genpkey -algorithm ed25519');
  });

  test('with something that is no key, without quoting it', async () => {
    folder.write('key.pem', '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----');
    expect(await expectRefusal(attest(), 2, 'is not a private key')).not.toContain('hunter2');
  });

  test('a result in which nothing was seen, and makes no key for it', async () => {
    folder.write('conformance.json', reportOf({}));
    await expectRefusal(attest('--generate-key'), 2, 'nothing to attest');
    expect(() => statSync(folder.file('key.pem'))).toThrow('ENOENT');
  });
});

test.for(['{}', 'x'])('it is refused to verify %s, which is no envelope', async (text) => {
  await attest('--generate-key');
  writeFileSync(attestation(), text);
  await expectRefusal(verify(), 2, 'no DSSE envelope');
});
