/** Writes one contract in one form, for nobody's or for somebody's deployment. */

import { writeFile } from 'node:fs/promises';
import type { Contract } from '../../schemas/requirement.ts';
import { computeJsonSchema, computeOpenApi } from '../export/compute.ts';
import type { JsonObject } from '../export/json.ts';
import { routerJsonSchema, routerOpenApi } from '../export/router.ts';
import { loadTarget } from '../target/load.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { version } from './version.ts';

export type ExportForm = 'openapi' | 'json-schema';

export interface ExportOptions {
  /** Stdout without it. */
  readonly out?: string | undefined;
  /** A target file of the same contract. */
  readonly target?: string | undefined;
}

/** Throws `CommandFailure` or `TargetFileError`; nothing is written then. */
export async function exportContract(
  form: ExportForm,
  contract: Contract,
  { out, target }: ExportOptions,
): Promise<void> {
  const text = `${JSON.stringify(await documentOf(form, contract, target), null, 2)}\n`;
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(out, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`--out ${out}: ${why}`, exitCodes.usage);
  }
}

async function documentOf(
  form: ExportForm,
  contract: Contract,
  file: string | undefined,
): Promise<JsonObject> {
  const exported = { toolVersion: version };
  const target = file === undefined ? undefined : (await loadTarget(file)).target;
  if (target !== undefined && target.contract !== contract) {
    throw new CommandFailure(
      `${file} describes a ${target.contract} deployment: export that contract, or name another file.`,
      exitCodes.usage,
    );
  }
  if (contract === 'router') {
    return form === 'openapi' ? routerOpenApi(target ?? {}, exported) : routerJsonSchema(exported);
  }
  const deployment = target?.contract === 'compute' ? target : {};
  return form === 'openapi'
    ? computeOpenApi(deployment, exported)
    : computeJsonSchema(deployment, exported);
}
