/** The exported contract as peers are given it. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { computeOpenApi } from '../../export/compute.ts';
import { loadTarget } from '../../target/load.ts';
import { version } from '../../cli/version.ts';
import type { Deployment } from '../faulty-deployments.ts';

/** Statuses of success of the reference, where the contract leaves them open. */
const ACCEPTED = 202;
const SUCCESS = 200;

/**
 * Writes the document and returns its path. Two of the peers know no range of statuses and one needs an example of
 * each parameter in a path, so all get the statuses of the reference and an instance that may be stopped.
 */
export async function peerDocument(deployment: Deployment, scratch: string): Promise<string> {
  const { target } = await loadTarget(deployment.file, {});
  const document = computeOpenApi(target.contract === 'compute' ? target : {}, {
    toolVersion: version,
  });
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (key === 'responses' && isObject(value) && '2XX' in value) return concrete(value);
    return isObject(value) && value['in'] === 'path'
      ? { ...value, example: deployment.instance }
      : value;
  });
  const file = path.join(scratch, 'compute.openapi.json');
  await writeFile(file, text);
  return file;
}

function concrete(responses: Readonly<Record<string, unknown>>): object {
  const { '2XX': success, ...rest } = responses;
  // Only what starts something is accepted and not yet done, and only that can be a conflict.
  return { [409 in rest ? ACCEPTED : SUCCESS]: success, ...rest };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
