/** `plumbline attest`: signs a result. */

import type { Command } from 'commander';
import { CommandFailure, type ExitCode, exitCodes, type SetExitCode } from '../exit.ts';
import {
  keyFingerprint,
  PAYLOAD_TYPE,
  seal,
  statementOf,
  Unattestable,
} from '../../../reports/model/attestation.ts';
import { readReport } from '../inputs.ts';
import { generateKey, readPrivateKey } from './signing-keys.ts';
import { writeOrFail } from '../report-folder.ts';

/** Adds the options and the action of `plumbline attest`. */
export function register(command: Command, setExitCode: SetExitCode): void {
  command
    .argument('<RESULT>', 'conformance.json of a run')
    .requiredOption('--key <KEY.pem>', 'Ed25519 private key')
    .option('--out <FILE>', 'the signed statement', 'attestation.json')
    .option('--generate-key', 'make the key first, with its public half beside it', false)
    .addHelpText(
      'after',
      '\nA key of your own:\n  openssl genpkey -algorithm ed25519 -out key.pem\n  openssl pkey -in key.pem -pubout -out key.pub.pem',
    )
    .action(async (result: string, options: AttestOptions) => {
      setExitCode(attest(result, options));
    });
}

export interface AttestOptions {
  readonly key: string;
  readonly out: string;
  readonly generateKey: boolean;
}

/** Throws `CommandFailure` when the result cannot be attested, or when there is no key. */
export function attest(result: string, options: AttestOptions): ExitCode {
  const { report, text } = readReport(result);
  let payload: ReturnType<typeof statementOf>;
  try {
    payload = statementOf(report, text, result);
  } catch (error) {
    if (!(error instanceof Unattestable)) throw error;
    throw new CommandFailure(error.message, exitCodes.usage);
  }
  if (options.generateKey) {
    process.stderr.write(
      `Wrote ${options.key}, to be kept secret, and ${generateKey(options.key)}, to be given away.\n`,
    );
  }
  const key = readPrivateKey(options.key);
  const sealed = seal(JSON.stringify(payload), PAYLOAD_TYPE, key);
  writeOrFail(options.out, `${JSON.stringify(sealed, null, 2)}\n`);
  process.stdout.write(
    `${options.out}: ${payload.predicate.result}, signed with ${keyFingerprint(key)}\n`,
  );
  return exitCodes.conforms;
}
