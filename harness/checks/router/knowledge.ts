/** What may be known of a router beside an exchange. */

import type { Exchange } from '../../exchange/exchange.ts';

export interface RouterKnowledge {
  /** Names of keys that no serverless policy holds for. */
  readonly plainCredentials: readonly string[];
  /** Ids of models that are known to be outside serverless policies. */
  readonly plainModels: readonly string[];
  /**
   * True when the engine may itself have answered with the envelope: on a proxy route the router must keep its code
   * and source even where they disagree with the table. Absent: engines do not do that.
   */
  readonly mayBeForwarded?: (exchange: Exchange) => boolean;
}

/** Nothing is known: only what an exchange itself shows is judged. */
export const nothingKnown: RouterKnowledge = { plainCredentials: [], plainModels: [] };
