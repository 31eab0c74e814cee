/** What people would use instead, in a form that the comparison can drive. */

import type { Deployment } from '../faulty-deployments.ts';
import type { Measurement } from '../measured-process.ts';

/** What one run of a peer against one deployment came to. */
export interface PeerRun {
  readonly measurement: Measurement;
  /**
   * The failures that it reported, in its own terms, without what differs from run to run. Undefined when it
   * came to no result at all.
   */
  readonly failures: ReadonlySet<string> | undefined;
}

/** A peer that is there and can be run. */
export interface ReadyPeer {
  readonly version: string;
  /** Runs it with the exported document against a deployment. */
  readonly run: (deployment: Deployment, document: string, scratch: string) => Promise<PeerRun>;
}

export interface Peer {
  readonly name: string;
  /** How it is used here, in a sentence. */
  readonly used: string;
  /** Installs or finds it; a text says why it cannot be had. */
  readonly prepare: (scratch: string) => Promise<ReadyPeer | string>;
}

/** Milliseconds for one run of a peer against one deployment. */
export const LONGEST_PEER_RUN_MS = 60_000;
