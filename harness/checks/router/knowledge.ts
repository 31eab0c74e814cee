/** What may be known of a router beside an exchange. */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';

export interface RouterKnowledge {
  /** Names of keys that no serverless policy holds for. */
  readonly plainCredentials: readonly string[];
  /** Ids of models that are known to be outside serverless policies. */
  readonly plainModels: readonly string[];
  /** The largest request body in bytes, 0 for no limit; absent when it is not known. */
  readonly maxRequestBytes?: number;
  /**
   * True when the engine may itself have answered with the envelope: on a proxy route the router must keep its code
   * and source even where they disagree with the table. Absent where that is not known: a router may stand behind this one.
   */
  readonly mayBeForwarded?: (exchange: Exchange) => boolean;
}

/** Nothing is known: only what an exchange itself shows is judged. */
export const nothingKnown: RouterKnowledge = { plainCredentials: [], plainModels: [] };

/** What a target file tells: every key but the serverless one is plain, and so are the models for plain use. */
export function knowledgeOf(
  target: Pick<RouterTarget, 'keys' | 'models' | 'limits'>,
  forwarded?: RouterKnowledge['mayBeForwarded'],
): RouterKnowledge {
  const { serverless, ...others } = target.keys;
  const { chat, embedding, reranker } = target.models ?? {};
  const { maxRequestBytes } = target.limits ?? {};
  return {
    // A list of keys has a name for each: `tokensPerDay[0]`.
    plainCredentials: Object.entries(others).flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((_, at) => `${name}[${at}]`) : [name],
    ),
    plainModels: [chat, embedding, reranker].flatMap((model) =>
      model === undefined || model === serverless?.model ? [] : [model],
    ),
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    ...(forwarded === undefined ? {} : { mayBeForwarded: forwarded }),
  };
}
