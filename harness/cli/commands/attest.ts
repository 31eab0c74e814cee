/** The options of `plumbline attest` and `plumbline verify`. What they do is loaded when they are called. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';

import type { AttestOptions } from '../attest-result.ts';

import type { VerifyOptions } from '../verify-attestation.ts';

/** Adds `plumbline attest` and `plumbline verify` to the program. */
export function registerAttest(program: Command, setExitCode: SetExitCode): void {
  program
    .command('attest')
    .description('sign a result, so that others can check that it is yours and unchanged')
    .argument('<RESULT>', 'conformance.json of a run')
    .requiredOption('--key <KEY.pem>', 'Ed25519 private key')
    .option('--out <FILE>', 'the signed statement', 'attestation.json')
    .option('--generate-key', 'make the key first, with its public half beside it', false)
    .addHelpText(
      'after',
      '\nA key of your own:\n  openssl genpkey -algorithm ed25519 -out key.pem\n  openssl pkey -in key.pem -pubout -out key.pub.pem',
    )
    .action(async (result: string, options: AttestOptions) => {
      const { attest } = await import('../attest-result.ts');
      setExitCode(attest(result, options));
    });
  program
    .command('verify')
    .description('check a signed statement and the result that it is about, offline')
    .argument('<ATTESTATION>', 'what plumbline attest wrote')
    .requiredOption('--key <KEY.pub.pem>', 'public key of the signer')
    .option('--result <FILE>', 'the result; conformance.json beside the attestation unless told')
    .addHelpText('after', '\nExit codes: 0 verified, 1 not what was signed, 2 usage.')
    .action(async (attestation: string, options: VerifyOptions) => {
      const { verifyAttestation } = await import('../verify-attestation.ts');
      setExitCode(verifyAttestation(attestation, options));
    });
}
