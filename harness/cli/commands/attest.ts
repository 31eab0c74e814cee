/** `plumbline attest`: signs a result, and creates signing keys. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { codeOrMessage } from '../../exchange/exchange.ts';
import { type ExitCode, exitCodes, type Ends, refuse } from '../exit.ts';
import { readReport, readText, SIGNATURE, writeOrFail } from '../files.ts';
import {
  keyFingerprint,
  PAYLOAD_TYPE,
  seal,
  statementOf,
} from '../../../reports/model/attestation.ts';

const makeOne =
  'Make one with openssl genpkey -algorithm ed25519 -out key.pem, or with plumbline attest --generate-key.';

/** Throws `CommandFailure` if the file is not an Ed25519 public key. */
export function readPublicKey(file: string): KeyObject {
  const pem = readText(file, 'Name the public key of the signer, in PEM form.');
  // Node could derive the public key, but a verifier should not have the private one.
  if (pem.includes('PRIVATE KEY')) {
    refuse(
      `${file} holds a private key. Verify with its public half: openssl pkey -in key.pem -pubout -out key.pub.pem`,
    );
  }
  return ed25519(file, pem, 'public', createPublicKey);
}

/** Creates a key pair, never over an existing file, and returns the path of the public key. */
function generateKey(file: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = `${file.replace(/\.pem$/u, '')}.pub.pem`;
  writeKey(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  writeKey(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  return publicFile;
}

function writeKey(file: string, pem: string | Buffer, mode: number): void {
  try {
    writeFileSync(file, pem, { mode, flag: 'wx' });
  } catch (error) {
    const code = codeOrMessage(error);
    const problem =
      code === 'EEXIST'
        ? 'is there already, and is not written over. Leave --generate-key out, or name another file.'
        : `cannot be written (${code}).`;
    refuse(`${file} ${problem}`);
  }
}

/** Throws `CommandFailure` if the text of the file is not an Ed25519 key of that half. */
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
    // The parser's message may quote the key.
    refuse(`${file} is not a ${half} key in PEM form without a passphrase. ${makeOne}`);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  return refuse(
    `${file} is a key of type ${key.asymmetricKeyType ?? 'unknown'}, and Ed25519 is needed. ${makeOne}`,
  );
}

/** Adds the options and the action of `plumbline attest`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<RESULT>', 'conformance.json of a run')
    .requiredOption('--key <KEY.pem>', 'Ed25519 private key')
    .option('--out <FILE>', `the signed statement; ${SIGNATURE} beside the result unless told`)
    .option('--generate-key', 'make the key first, with its public half beside it', false)
    .addHelpText(
      'after',
      '\nA key of your own:\n  openssl genpkey -algorithm ed25519 -out key.pem\n  openssl pkey -in key.pem -pubout -out key.pub.pem',
    )
    .action(ends(attest));
}

interface AttestOptions {
  readonly key: string;
  readonly out?: string;
  readonly generateKey: boolean;
}

/** Throws `CommandFailure` if the result cannot be attested or the key cannot be read. */
function attest(result: string, options: AttestOptions): ExitCode {
  const out = options.out ?? path.join(path.dirname(result), SIGNATURE);
  for (const file of [result, options.key]) {
    if (path.resolve(file) === path.resolve(out)) {
      refuse(`--out ${out} would replace ${file}. Name another file for the signed statement.`);
    }
  }
  const { report, text } = readReport(result);
  const payload = statementOf(report, text, result);
  if (options.generateKey) {
    process.stderr.write(
      `Wrote ${options.key}, to be kept secret, and ${generateKey(options.key)}, to be given away.\n`,
    );
  }
  const pem = readText(options.key, makeOne);
  const key = ed25519(options.key, pem, 'private', createPrivateKey);
  const sealed = seal(JSON.stringify(payload), PAYLOAD_TYPE, key);
  writeOrFail(out, `${JSON.stringify(sealed, null, 2)}\n`);
  process.stdout.write(
    `Signed ${out} with ${keyFingerprint(key)}. The result says: ${payload.predicate.result}\n`,
  );
  return exitCodes.conforms;
}
