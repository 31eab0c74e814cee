/** `plumbline export`: writes a contract in the format of another tool. */

import { writeOrFail } from '../files.ts';
import { Argument, type Command } from 'commander';
import { contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import type { JsonObject } from '../../export/openapi.ts';
import { contractOf } from '../../contracts/index.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { refuse } from '../exit.ts';
import { version } from '../version.ts';

/** Adds the options and the action of `plumbline export`. */
export function register(command: Command): void {
  command
    .addArgument(new Argument('<form>', 'what to write').choices(['openapi', 'json-schema']))
    .addArgument(new Argument('<contract>', 'which contract').choices(contractNames))
    .option('--out <FILE>', 'where to write, instead of stdout')
    .option('--target <FILE>', 'a target file: its address, and what it binds of the open parts')
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline export openapi compute --target staging.yaml --out compute.openapi.json\n  plumbline export openapi router > router.openapi.json\n  plumbline export json-schema compute --out compute.schema.json',
    )
    .action(async (form: ExportForm, contract: Contract, options: ExportOptions) => {
      await exportContract(form, contract, options);
    });
}

export type ExportForm = 'openapi' | 'json-schema';

export interface ExportOptions {
  readonly out?: string;
  readonly target?: string;
}

/** Throws `CommandFailure` or `TargetFileError` without writing anything. */
export async function exportContract(
  form: ExportForm,
  contract: Contract,
  { out, target }: ExportOptions,
): Promise<void> {
  const text = `${JSON.stringify(await documentOf(form, contract, target), null, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else writeOrFail(out, text);
}

async function documentOf(
  form: ExportForm,
  contract: Contract,
  file: string | undefined,
): Promise<JsonObject> {
  const target = file === undefined ? undefined : (await loadTarget(file)).target;
  if (target !== undefined && target.contract !== contract) {
    refuse(
      `${file} describes a ${target.contract} deployment: export that contract, or name another file.`,
    );
  }
  const exporter = await contractOf(contract).exporter?.();
  if (exporter === undefined) throw new Error(`${contract} has no form that can be exported`);
  return form === 'openapi'
    ? exporter.openApi(target ?? {}, version)
    : exporter.jsonSchema(target ?? {}, version);
}
