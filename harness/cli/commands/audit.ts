/** The options of `plumbline audit`. What it does is loaded when it is called. */

import { type Command, Option } from 'commander';
import type { SetExitCode } from '../exit.ts';
import type { AuditOptions } from '../traffic-options.ts';
import { trafficReportOptions } from './options.ts';

/** Adds `plumbline audit` to the program. */
export function registerAudit(program: Command, setExitCode: SetExitCode): void {
  const command = program
    .command('audit')
    .description('judge recorded traffic: HAR files, and NDJSON of exchanges')
    .argument('<FILE...>', 'recordings, as *.har or *.ndjson')
    .option('--target <FILE>', 'target file of the deployment, for its bindings and keys')
    .addOption(
      new Option('--contract <NAME>', 'the contract, where no target file tells').choices([
        'compute',
        'router',
      ]),
    )
    .option('--base-url <URL>', 'where the recorded requests went, as a target file writes it');
  trafficReportOptions(command)
    .addHelpText(
      'after',
      `
Without a target file, the contract and the base URL are guessed from documented paths; with one, more is judged.
What a recording leaves out is not exercised, and never a violation.

Exit codes: 0 nothing stated was broken, 1 a stated requirement was broken, 2 usage or unreadable files,
4 the suite failed, 5 nothing was judged.

Examples:
  plumbline audit session.har
  plumbline audit --target staging.yaml monday.har tuesday.har
  plumbline audit --contract router --base-url https://router.example.com traffic.ndjson`,
    )
    .action(async (files: readonly string[], options: AuditOptions) => {
      const { audit } = await import('../audit.ts');
      setExitCode(await audit(files, options));
    });
}
