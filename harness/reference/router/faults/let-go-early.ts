/** What a stream lets go of when it begins, as a guard does that ends with the making of the answer. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Holding, RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';

const ID = 'router.admission';

/** Counts nothing against a limit while a stream that has begun is what holds it. */
function letGo(holding: Holding, path: string, model: string): Fault<RouterRules>['patch'] {
  return (rules) => {
    const begun = new Set<RequestContext>();
    const isMeant = (context: RequestContext): boolean =>
      context.model === model && context.path === path;
    return {
      ...rules,
      streamPiece: (piece, index, context) => {
        if (isMeant(context)) begun.add(context);
        return rules.streamPiece(piece, index, context);
      },
      release: (released, ending, free, context) => {
        begun.delete(context);
        rules.release(released, ending, free, context);
      },
      limited: (by, context) =>
        !(by === holding && begun.size > 0 && isMeant(context)) && rules.limited(by, context),
    };
  };
}

export const letGoEarlyFaults = declareFaults<RouterRules>([
  {
    name: 'slot-let-go-when-a-stream-begins',
    summary: 'Gives the slot of a stream back when it begins.',
    breaks: [`${ID}.slots-full-reaches-no-engine`],
    patch: letGo('slot', '/v1/chat/completions', 'scripted-slot'),
  },
  {
    name: 'slot-let-go-when-a-proxied-stream-begins',
    summary: 'Gives the slot of a stream on the messages route back when it begins.',
    breaks: [`${ID}.slots-full-reaches-no-engine`],
    patch: letGo('slot', '/v1/messages', 'scripted-slot'),
  },
  {
    name: 'place-let-go-when-a-stream-begins',
    summary: 'Counts a stream as in flight until it begins.',
    breaks: [`${ID}.inflight-over-reaches-no-engine`],
    patch: letGo('inflight', '/v1/chat/completions', 'scripted-inflight'),
  },
  {
    name: 'tokens-let-go-when-a-stream-begins',
    summary: 'Counts a stream for the token budget of its model until it begins.',
    breaks: [`${ID}.occupancy-over`],
    patch: letGo('occupancy', '/v1/chat/completions', 'scripted-occupancy'),
  },
  {
    name: 'share-let-go-when-a-stream-begins',
    summary: 'Counts a stream for the share of a serverless key until it begins.',
    breaks: ['router.rate-limit-rules.serverless-occupancy'],
    patch: letGo('share', '/v1/chat/completions', 'scripted-serverless'),
  },
]);
