/** Ed25519 keys in PEM files, for `attest` and `verify`. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { CommandFailure, exitCodes } from '../exit.ts';
import { readText } from '../inputs.ts';

const makeOne =
  'Make one with openssl genpkey -algorithm ed25519 -out key.pem, or with plumbline attest --generate-key.';

/** Throws `CommandFailure` when the file holds no Ed25519 private key. */
export function readPrivateKey(file: string): KeyObject {
  return ed25519(file, readText(file, makeOne), 'private', createPrivateKey);
}

/** Throws `CommandFailure` when the file holds no Ed25519 public key. */
export function readPublicKey(file: string): KeyObject {
  const pem = readText(file, 'Name the public key of the signer, in PEM form.');
  // Node would derive the public half; but who verifies should not hold the private one.
  if (pem.includes('PRIVATE KEY')) {
    throw new CommandFailure(
      `${file} holds a private key. Verify with its public half: openssl pkey -in key.pem -pubout -out key.pub.pem`,
      exitCodes.usage,
    );
  }
  return ed25519(file, pem, 'public', createPublicKey);
}

/** Writes a new pair, never over an existing file, and returns the path of the public half. */
export function generateKey(file: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = `${file.replace(/\.pem$/u, '')}.pub.pem`;
  place(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  place(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  return publicFile;
}

function place(file: string, pem: string | Buffer, mode: number): void {
  try {
    writeFileSync(file, pem, { mode, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const problem =
      code === 'EEXIST'
        ? 'is there already, and is not written over. Leave --generate-key out, or name another file.'
        : `cannot be written (${String(code ?? error)}).`;
    throw new CommandFailure(`${file} ${problem}`, exitCodes.usage);
  }
}

function ed25519(
  file: string,
  pem: string,
  half: 'private' | 'public',
  read: (pem: string) => KeyObject,
): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read(pem);
  } catch {
    // What the parser says may quote the file.
    throw new CommandFailure(
      `${file} is not a ${half} key in PEM form without a passphrase. ${makeOne}`,
      exitCodes.usage,
    );
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new CommandFailure(
    `${file} is a key of type ${key.asymmetricKeyType ?? 'unknown'}, and Ed25519 is needed. ${makeOne}`,
    exitCodes.usage,
  );
}
