/** Reads a target that is an object in memory, by the same rules as a file. */

import path from 'node:path';
import type { TargetFile } from '../../../schemas/target.ts';
import { preflight } from '../../drivers/preflight.ts';
import type { PlannedTarget } from '../../runner/selection.ts';
import { parseTarget } from '../../target/load.ts';
import { revealedKeys } from '../../target/keyring.ts';

/** The deployment cannot be reached, or does not accept the key: nothing was judged. */
export class NotReady extends Error {
  override name = 'NotReady';
}

/**
 * The target as a run takes it; `${NAME}` is read from the environment as in a file. Keys may stand in it, since an
 * object in memory is not committed anywhere. Throws `TargetFileError`.
 */
export function plannedFrom(
  input: Pick<TargetFile, 'contract' | 'baseUrl' | 'name' | 'keys'>,
  folder = process.cwd(),
): PlannedTarget {
  const environment: Record<string, string | undefined> = { ...process.env };
  let count = 0;
  const file = JSON.stringify({
    ...input,
    keys: withoutSecrets(input.keys, (secret) => {
      if (secret.includes('${')) return secret;
      count += 1;
      const name = `PLUMBLINE_KEY_IN_MEMORY_${count}`;
      environment[name] = secret;
      return `\${${name}}`;
    }),
  });
  const { target, keys } = parseTarget(file, path.join(folder, 'target in memory'), environment);
  return {
    target,
    secrets: revealedKeys(keys),
    folder,
  };
}

/** Throws `NotReady` when a run could not begin. */
export async function requireReady(planned: PlannedTarget, signal?: AbortSignal): Promise<void> {
  const problem = await preflight(planned, signal);
  if (problem !== undefined) throw new NotReady(`${problem.problem} ${problem.hint}`);
}

/** The keys with each secret replaced: a text of its own, or the member `key` of an object. */
function withoutSecrets(keys: unknown, replace: (secret: string) => string): unknown {
  if (typeof keys !== 'object' || keys === null) return keys;
  const role = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(role);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]: [string, unknown]) => [
        name,
        name === 'key' && typeof member === 'string' ? replace(member) : member,
      ]),
    );
  };
  return Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, role(value)]));
}
