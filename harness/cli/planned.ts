/** Targets without a file: with additional headers, from an object in memory, and the built-in reference deployments. */

import type { PlannedTarget } from '../runner/selection.ts';
import path from 'node:path';
import type { TargetFile } from '../../schemas/target.ts';
import { preflight } from '../contracts/preflight.ts';
import { parseTarget, readBaseUrl } from '../contracts/target-file.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { contractOf } from '../contracts/index.ts';
import type { StartedReference } from '../contracts/references.ts';
import { headerProblem, headerSecretName } from '../target/headers.ts';
import { expandVariables } from '../target/concealment.ts';
import { refuse } from './exit.ts';

/** The deployment cannot be reached or refuses the key, so nothing was judged. */
export class NotReady extends Error {
  override name = 'NotReady';
}

/** Makes a target from an object, which may contain keys. Expands `${NAME}` as in a file. Throws `TargetFileError`. */
export function plannedFrom(
  input: Pick<TargetFile, 'contract' | 'baseUrl' | 'name' | 'keys'>,
  folder = process.cwd(),
): PlannedTarget {
  const file = path.join(folder, 'target in memory');
  return parseTarget(JSON.stringify(input), file, process.env, true);
}

/** Reads `--base-url`, without a trailing slash. Throws `CommandFailure`. */
export function requireBaseUrl(contract: Contract, text: string): string {
  const base = readBaseUrl(contract, text);
  if ('baseUrl' in base) return base.baseUrl;
  return refuse(`--base-url: ${base.problem}. ${base.hint}`);
}

/** Throws `NotReady` if a run cannot begin. */
export async function requireReady(planned: PlannedTarget, signal?: AbortSignal): Promise<void> {
  const problem = await preflight(planned, signal);
  if (problem !== undefined) throw new NotReady(`${problem.problem} ${problem.hint}`);
}

/** Starts the built-in reference deployments of these contracts on free loopback ports. */
export async function startEmbedded(contracts: readonly Contract[]) {
  const started: StartedReference[] = [];
  const targets: PlannedTarget[] = [];
  for (const contract of contracts) {
    const module = await contractOf(contract).reference?.();
    if (module === undefined) continue;
    const reference = await module.start({});
    started.push(reference);
    // A loopback target has the name of its file.
    targets.push(parseTarget(JSON.stringify(reference.target()), `reference-${contract}.yaml`));
  }
  return {
    targets,
    close: async () => {
      for (const reference of started) await reference.close();
    },
  };
}

/** Names and values of header lines as typed, without environment variables expanded. */
export function headersAsTyped(lines: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, header = '', written = ''] = /^([^:]*):\s*(.*)$/su.exec(line) ?? [];
      return [header, written] as const;
    }),
  );
}

/** A header line as typed, but for a value that is no variable of the environment: that may be a secret. */
export function concealed(line: string): string {
  return line.replace(/:(?!\s*(?:\w+ )?\$\{\w+\}$).*$/su, ': …');
}

/** Adds header lines (`Name: value`) to a target. Their values are treated as secrets. Throws `CommandFailure`. */
export function withHeaders(planned: PlannedTarget, lines: readonly string[] = []): PlannedTarget {
  const headers = new Map(Object.entries(planned.target.headers ?? {}));
  const values = new Map(Object.entries(planned.secrets));
  const nameless = lines.find((line) => !line.includes(':'));
  if (nameless !== undefined) refuse(`--header '${nameless}': write it as 'Name: value'.`);
  for (const [header, written] of headersAsTyped(lines)) {
    const { text, missing } = expandVariables(written, process.env);
    const problem =
      missing[0] === undefined
        ? headerProblem(header, text)
        : `the environment has no ${missing[0]}`;
    if (problem !== undefined) refuse(`--header '${header}: …': ${problem}.`);
    for (const name of headers.keys()) {
      if (name.toLowerCase() === header.toLowerCase()) headers.delete(name);
    }
    headers.set(header, headerSecretName(header));
    values.set(headerSecretName(header), text);
  }
  return {
    ...planned,
    target: { ...planned.target, headers: Object.fromEntries(headers) },
    secrets: Object.fromEntries(values),
  };
}
