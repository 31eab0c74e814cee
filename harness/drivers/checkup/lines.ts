/** The lines that `plumbline check` prints about a target. */

import type { Target } from '../../../schemas/target.ts';
import { BudgetSpent } from '../../exchange/budget.ts';
import { TransportError } from '../../exchange/repeating.ts';
import type { Connection } from '../connection.ts';

/**
 * - `fits`: the check passed.
 * - `wrong`: the check failed. `blame` is `access` for a target that is unreachable or refuses a key, and `file` for
 *   a line of the file that does not fit.
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

/** What the checkup of a contract works with. */
export interface Checkup<T extends Target> {
  readonly target: T;
  readonly connection: Connection;
  /** Folder of the target file, in which commands run. */
  readonly folder: string;
  /** Names of the keys that the target accepted. */
  readonly accepted: readonly string[];
}

export type ReportLine = (line: CheckLine) => void;

export function fits(subject: string, note?: string): CheckLine {
  return { mark: 'fits', subject, note };
}

/** A line of the file that does not fit the target. */
export function mismatch(subject: string, problem: string, hint: string): CheckLine {
  return { mark: 'wrong', subject, problem, hint, blame: 'file' };
}

/** A key or a host that denies access. */
export function noAccess(subject: string, problem: string, hint: string): CheckLine {
  return { mark: 'wrong', subject, problem, hint, blame: 'access' };
}

export function untried(subject: string, reason: string): CheckLine {
  return { mark: 'untried', subject, reason };
}

/** Reports the result of a check. Transport trouble and a spent budget are results, too. */
export async function tell(
  report: ReportLine,
  subject: string,
  check: (subject: string) => Promise<CheckLine>,
): Promise<void> {
  report(
    await check(subject).catch((error: unknown) => {
      if (error instanceof TransportError) {
        const hint = 'Try again; if it stays so, the service is unwell.';
        return noAccess(subject, error.message, hint);
      }
      if (error instanceof BudgetSpent) {
        return mismatch(subject, error.message, 'Raise budget in the target file.');
      }
      throw error;
    }),
  );
}
