/** What the cases of the compute sections are handed. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ComputeBindings, ComputeTarget } from '../../../schemas/compute/target.ts';
import type { TestContext } from '../../runner/case.ts';
import type { Secret } from '../../target/keys.ts';
import type { ComputeApi } from './api.ts';

/** An instance as one answer showed it. */
export interface Sighting {
  readonly exchange: Exchange;
  readonly record: Readonly<Record<string, unknown>>;
  /** The `status` member, `''` when it is no text. */
  readonly status: string;
}

/** What every case of a compute section gets. */
export interface ComputeContext extends TestContext<ComputeRequirementId> {
  readonly api: ComputeApi;
  readonly target: ComputeTarget;
  readonly bindings: ComputeBindings;
  /** The session, by which what is done once in it is known. */
  readonly session: object;
  /** The secret of a key of the target file, for credentials in another form; undefined without that key. */
  secret(name: string): Secret | undefined;
  /** A fresh id that exists nowhere. */
  unknownInstanceId(): string;
  /** A disposable instance in whatever state it is. */
  disposable(): Promise<string>;
  /** An instance that is stopped, of the target file or our own; `index` 1 is another one than `index` 0. */
  stopped(index?: 0 | 1): Promise<string>;
  /** How that stopped instance was seen before anybody in this run stopped it; undefined when it was not. */
  stoppedAtFirst(): Promise<Sighting | undefined>;
  /** An instance that is terminated, of the target file or our own. */
  terminated(): Promise<string>;
  /** A disposable instance under a name: each case that asks by that name gets the same. */
  shared(name: string): Promise<string>;
  /**
   * Looks at one instance, through its own record or the list; `soon` does not wait for a place among the
   * requests of other cases, for states that pass.
   */
  look(id: string, as?: string, soon?: boolean): Promise<Sighting | undefined>;
  /** Looks at one instance through the list. */
  lookInList(id: string, as?: string): Promise<Sighting | undefined>;
}
