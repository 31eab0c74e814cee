/** Tries what a target file says, with reads alone: host, keys, bindings, fixtures. */

import type { PlannedTarget } from '../../runner/run-plan.ts';
import { connectForReading, generalKeys, tryKey } from '../preflight.ts';
import { checkCompute } from './compute.ts';
import { fits, noAccess, type TellLine, withoutSecrets } from './line.ts';
import { checkRouter } from './router.ts';

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
      // The line of a compute key tells what it lists, which says more.
      if (target.contract === 'router') tell(fits(`keys.${key}`, 'is accepted'));
    }
    if (generalKeys(target).length > 0 && accepted.length === 0) return;
    if (target.contract === 'compute') {
      await checkCompute({ target, connection, accepted, folder: planned.folder }, tell);
    } else {
      await checkRouter({ target, connection, accepted }, tell);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  }
}
