/** What the compute checks may know of a deployment beside an exchange. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import type { DescriptionLedger } from './description-ledger.ts';
import type { OwnerLedger } from './owner-ledger.ts';
import type { RestingLedger } from './resting-runtime.ts';
import type { TerminatedLedger } from './terminated-ledger.ts';
import type { RequestIdLedger } from '../request-id-ledger.ts';

export interface ComputeKnowledge {
  /** How the target does what the contract leaves open; without it less is judged. */
  readonly bindings?: ComputeBindings | undefined;
  /** Remembers request ids over a run; without it their freshness is not judged. */
  readonly requestIds?: RequestIdLedger | undefined;
  /** Remembers whose instances were listed over a run; without it accounts are not held against each other. */
  readonly owners?: OwnerLedger | undefined;
  /** Remembers how lists describe instances over a run; without it lists are not held against each other for that. */
  readonly descriptions?: DescriptionLedger | undefined;
  /** Remembers the runtimes of stopped instances over a run; without it only cases tell those that go on. */
  readonly resting?: RestingLedger | undefined;
  /** Remembers what was terminated over a run; without it nothing that comes back is noticed on the way. */
  readonly terminated?: TerminatedLedger | undefined;
}
