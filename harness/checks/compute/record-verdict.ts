/** The form of what is judged on one record alone, whichever answer it stands in. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Violation } from '../judgement.ts';

/** What is wrong with one record, without the exchange that shows it. */
export type Flaw = Omit<Violation, 'exchanges'>;

/** What one record shows of one requirement. */
export interface RecordVerdict {
  readonly requirement: ComputeRequirementId;
  /** Tells several verdicts of one requirement apart, as for each of several fields. */
  readonly aspect?: string;
  readonly flaw: Flaw | undefined;
}
