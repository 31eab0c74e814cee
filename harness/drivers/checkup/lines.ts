/** What `plumbline check` finds out about a target, subject by subject. */

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
export type CheckResult =
  | { readonly mark: 'fits'; readonly note?: string | undefined }
  | {
      readonly mark: 'wrong';
      readonly problem: string;
      readonly hint: string;
      readonly blame: 'access' | 'file';
    }
  | { readonly mark: 'untried'; readonly reason: string };

/** What the checkup of a contract works with. */
export interface Checkup<T extends Target> {
  readonly target: T;
  readonly connection: Connection;
  /** Folder of the target file, in which commands run. */
  readonly folder: string;
  /** Names of the keys that the target accepted. */
  readonly accepted: readonly string[];
}

/** Takes the result for a subject, which is a line of the file or a request. */
export type ReportResult = (subject: string, result: CheckResult) => void;

export function fits(note?: string): CheckResult {
  return { mark: 'fits', note };
}

/** A line of the file that does not fit the target. */
export function mismatch(problem: string, hint: string): CheckResult {
  return { mark: 'wrong', problem, hint, blame: 'file' };
}

/** A key or a host that denies access. */
export function noAccess(problem: string, hint: string): CheckResult {
  return { mark: 'wrong', problem, hint, blame: 'access' };
}

export function untried(reason: string): CheckResult {
  return { mark: 'untried', reason };
}

/** Reports the result of a check. Transport trouble and a spent budget are results, too. */
export async function tell(
  report: ReportResult,
  subject: string,
  check: () => Promise<CheckResult>,
): Promise<void> {
  const result = await check().catch((error: unknown) => {
    if (error instanceof TransportError) {
      return noAccess(error.message, 'Try again; if it stays so, the service is unwell.');
    }
    if (error instanceof BudgetSpent) {
      return mismatch(error.message, 'Raise budget in the target file.');
    }
    throw error;
  });
  report(subject, result);
}
