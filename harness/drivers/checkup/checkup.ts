/** Tries what a target file says, with reads alone: host, keys, bindings, fixtures. */

import { contractOf } from '../../contracts.ts';
import type { PlannedTarget } from '../../runner/run-plan.ts';
import { connectForReading, generalKeys, tryKey } from '../preflight.ts';
import { noAccess, type TellLine, withoutSecrets } from './line.ts';

/** Tells a line for each thing that it tried, as it comes; nothing else is tried when no key is let in. */
export async function checkUp(
  planned: PlannedTarget,
  tellLine: TellLine,
  signal?: AbortSignal,
): Promise<void> {
  const { target } = planned;
  const connection = connectForReading(planned);
  const tell: TellLine = (line) => tellLine(withoutSecrets(line, connection.redactor));
  const stop = (): void => connection.abort();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const accepted: string[] = [];
    for (const key of generalKeys(target)) {
      const problem = await tryKey(connection, target, key);
      if (problem !== undefined) {
        tell(noAccess(`keys.${key}`, problem.problem, problem.hint));
        continue;
      }
      accepted.push(key);
    }
    if (generalKeys(target).length > 0 && accepted.length === 0) return;
    await contractOf(target.contract).checkUp(
      { target, connection, accepted, folder: planned.folder },
      tell,
    );
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  }
}
