/** `plumbline verify`: verifies a signed statement and its result. */

import { jsonIn } from '../../exchange/body.ts';
import path from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, type Ends, refuse } from '../exit.ts';
import { allRequirements } from '../../../schemas/contracts.ts';
import {
  attestationText,
  envelope,
  keyFingerprint,
  opened,
  PAYLOAD_TYPE,
  statement,
  type Statement,
  statementOf,
  Unattestable,
} from '../../../reports/model/attestation.ts';
import { reportFromJson } from '../../../reports/formats/json.ts';
import { sha256 } from '../../../reports/model/text.ts';
import { catalogueDigest } from '../../../reports/model/verdict.ts';
import { readText } from '../files.ts';
import { readPublicKey } from './attest.ts';

/** Adds the options and the action of `plumbline verify`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<ATTESTATION>', 'what plumbline attest wrote')
    .requiredOption('--key <KEY.pub.pem>', 'public key of the signer')
    .option('--result <FILE>', 'the result; conformance.json beside the attestation unless told')
    .addHelpText('after', '\nExit codes: 0 verified, 1 not what was signed, 2 usage.')
    .action(ends(verifyAttestation));
}

/** Returns 0 if verified, otherwise 1. Throws `CommandFailure` for an unreadable file. */
function verifyAttestation(
  attestation: string,
  options: { readonly key: string; readonly result?: string },
): ExitCode {
  const key = readPublicKey(options.key);
  const fingerprint = keyFingerprint(key);
  const sealed = readEnvelope(attestation);
  const payload = opened(sealed, key);
  if (payload === undefined) {
    return refused(
      `no signature of it is by the key ${fingerprint}, or it was changed after it was signed. Ask the signer for the right key.`,
    );
  }
  const { data: said } = statement.safeParse(jsonIn(payload.toString('utf8')));
  if (said === undefined || sealed.payloadType !== PAYLOAD_TYPE) {
    return refused(
      'what was signed is no statement with a test result. Name what plumbline attest wrote.',
    );
  }
  const result = options.result ?? path.join(path.dirname(attestation), 'conformance.json');
  const found = confirmed(said, result);
  if (typeof found === 'string') return refused(found);
  const lines = attestationText(found, fingerprint, catalogueDigest(allRequirements));
  process.stdout.write(`VERIFIED: ${attestation} is about ${result}.\n${lines.join('\n')}\n`);
  return exitCodes.conforms;
}

type Said = ReturnType<typeof statement.parse>;

/** The statement as it follows from the result, or why it does not, or why the file is not the signed one. */
function confirmed(said: Said, result: string): Statement | string {
  const text = readText(result, 'Name the result that was signed with --result.');
  const report = reportFromJson(text, result);
  if (!said.subject.some(({ digest }) => digest.sha256 === sha256(text))) {
    return `${result} is not the file that was signed: its digest is another one. Name the original with --result.`;
  }
  try {
    const recomputed = statementOf(report, text, result);
    return JSON.stringify(recomputed.predicate) === JSON.stringify(said.predicate)
      ? recomputed
      : `the statement says something else of ${result} than the file does. Another version of plumbline may have written it: verify with that one.`;
  } catch (error) {
    if (error instanceof Unattestable) return error.message;
    throw error;
  }
}

function readEnvelope(file: string): ReturnType<typeof envelope.parse> {
  const text = readText(file, 'Name what plumbline attest wrote.');
  const { data } = envelope.safeParse(jsonIn(text));
  return data ?? refuse(`${file} is no DSSE envelope. Name what plumbline attest wrote.`);
}

function refused(problem: string): ExitCode {
  process.stderr.write(`NOT VERIFIED: ${problem}\n`);
  return exitCodes.violates;
}
