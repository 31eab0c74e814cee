/** What `plumbline check` tells of a target, line by line. */

import type { Target } from '../../../schemas/target.ts';
import { BudgetSpent } from '../../exchange/budget.ts';
import { TransportTrouble } from '../../exchange/client.ts';
import type { Redactor } from '../../exchange/redaction.ts';
import type { Connection } from '../connection.ts';
import { contractOf } from '../../contracts.ts';
import type { PlannedTarget } from '../../runner/selection.ts';
import { connectForReading, generalKeys, tryKey } from '../preflight.ts';

/**
 * - `fits`: it was tried and is as the file says.
 * - `wrong`: it is not. `blame` tells a target that cannot be reached or refuses a key from a line of the file that does not fit.
 * - `untried`: a read cannot tell.
 */
export type CheckLine =
  | { readonly mark: 'fits'; readonly subject: string; readonly note?: string | undefined }
  | {
      readonly mark: 'wrong';
      readonly subject: string;
      readonly problem: string;
      readonly hint: string;
      readonly blame: 'access' | 'file';
    }
  | { readonly mark: 'untried'; readonly subject: string; readonly reason: string };

/** What a contract tries. */
export interface Checkup<T extends Target> {
  readonly target: T;
  readonly connection: Connection;
  /** Folder of the target file: commands run there. */
  readonly folder: string;
  /** Names of the keys that the target let in. */
  readonly accepted: readonly string[];
}

export type TellLine = (line: CheckLine) => void;

/** The same line without secrets: a target may echo a key in what it says. */
function withoutSecrets(line: CheckLine, redactor: Redactor): CheckLine {
  const clean = (text: string): string => redactor.text(text);
  if (line.mark === 'untried') return { ...line, reason: clean(line.reason) };
  if (line.mark === 'fits') return { ...line, note: line.note && clean(line.note) };
  return { ...line, problem: clean(line.problem), hint: clean(line.hint) };
}

export function fits(subject: string, note?: string): CheckLine {
  return { mark: 'fits', subject, note };
}

/** A line of the file that does not fit the target. */
export function misfit(subject: string, problem: string, hint: string): CheckLine {
  return { mark: 'wrong', subject, problem, hint, blame: 'file' };
}

/** A key or a host that does not let us in. */
export function noAccess(subject: string, problem: string, hint: string): CheckLine {
  return { mark: 'wrong', subject, problem, hint, blame: 'access' };
}

export function untried(subject: string, reason: string): CheckLine {
  return { mark: 'untried', subject, reason };
}

/** What `look` found; trouble on the way is what it found, too. */
export async function tried(subject: string, look: () => Promise<CheckLine>): Promise<CheckLine> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TransportTrouble) {
      return noAccess(subject, error.message, 'Try again; if it stays so, the service is unwell.');
    }
    if (error instanceof BudgetSpent) {
      return misfit(subject, error.message, 'Raise budget in the target file.');
    }
    throw error;
  }
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
    await contractOf(target.contract).checkUp(
      { target, connection, accepted, folder: planned.folder },
      tell,
    );
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  }
}
