/** `plumbline attest`: a result and a key in, a signed statement out. */

import { PAYLOAD_TYPE, statementOf, Unattestable } from '../../reports/attestation.ts';
import { keyFingerprint, seal } from '../../reports/dsse.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { readReport } from './read-report.ts';
import { generateKey, readPrivateKey } from './signing-keys.ts';
import { place } from './write-report.ts';

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
  try {
    place(options.out, `${JSON.stringify(sealed, null, 2)}\n`);
  } catch (error) {
    throw new CommandFailure(
      `${options.out} could not be written: ${error instanceof Error ? error.message : String(error)}. Name another file with --out.`,
      exitCodes.usage,
    );
  }
  process.stdout.write(
    `${options.out}: ${payload.predicate.result}, signed with ${keyFingerprint(key)}\n`,
  );
  return exitCodes.conforms;
}
