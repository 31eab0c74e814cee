/** `plumbline export`: the contracts in forms that other tools read. */

import { Argument, type Command } from 'commander';
import type { Contract } from '../../../schemas/requirement.ts';
import type { ExportForm } from '../export-contract.ts';

interface ExportCommandOptions {
  readonly out?: string;
  readonly target?: string;
}

/** Adds `plumbline export` to the program. What it does is loaded when it is called. */
export function registerExport(program: Command): void {
  program
    .command('export')
    .description('write a contract as OpenAPI 3.1 or as JSON Schema')
    .addArgument(new Argument('<form>', 'what to write').choices(['openapi', 'json-schema']))
    .addArgument(new Argument('<contract>', 'which contract').choices(['compute', 'router']))
    .option('--out <FILE>', 'where to write, instead of stdout')
    .option('--target <FILE>', 'a target file: its address, and what it binds of the open parts')
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline export openapi compute --target staging.yaml --out compute.openapi.json\n  plumbline export openapi router > router.openapi.json\n  plumbline export json-schema compute --out compute.schema.json',
    )
    .action(async (form: ExportForm, contract: Contract, options: ExportCommandOptions) => {
      const { exportContract } = await import('../export-contract.ts');
      await exportContract(form, contract, options);
    });
}
