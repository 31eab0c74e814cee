/** `plumbline check`: tries what a target file says, with reads alone. */

import type { Redactor } from '../exchange/redaction.ts';
import { type CheckLine, type TellLine, noAccess } from '../drivers/checkup/lines.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { contractOf } from './index.ts';
import { connectForReading, foreignTo, generalKeys, tryKey } from './preflight.ts';

/** The same line without secrets: a target may echo a key in what it says. */
function withoutSecrets(line: CheckLine, redactor: Redactor): CheckLine {
  const clean = (text: string): string => redactor.text(text);
  if (line.mark === 'untried') return { ...line, reason: clean(line.reason) };
  if (line.mark === 'fits') return { ...line, note: line.note && clean(line.note) };
  return { ...line, problem: clean(line.problem), hint: clean(line.hint) };
}

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
    const foreign = await foreignTo(connection, target);
    if (foreign !== undefined) {
      tell(noAccess('baseUrl', foreign.problem, foreign.hint));
      return;
    }
    await contractOf(target.contract).checkUp(
      { target, connection, accepted, folder: planned.folder },
      tell,
    );
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  }
}
