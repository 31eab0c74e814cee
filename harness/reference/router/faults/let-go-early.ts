/** What a stream lets go of when it begins, as a guard does that ends with the making of the answer. */

import type { Fault } from '../../fault.ts';
import type { Holding, RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable } from './answering.ts';

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

export const letGoEarlyFaults = faultTable({
  'router.admission.slots-full-reaches-no-engine': {
    'slot-let-go-when-a-stream-begins': letGo('slot', '/v1/chat/completions', 'scripted-slot'),
    'slot-let-go-when-a-proxied-stream-begins': letGo('slot', '/v1/messages', 'scripted-slot'),
  },
  'router.admission.inflight-over-reaches-no-engine': {
    'place-let-go-when-a-stream-begins': letGo(
      'inflight',
      '/v1/chat/completions',
      'scripted-inflight',
    ),
  },
  'router.admission.occupancy-over': {
    'tokens-let-go-when-a-stream-begins': letGo(
      'occupancy',
      '/v1/chat/completions',
      'scripted-occupancy',
    ),
  },
  'router.rate-limit-rules.serverless-occupancy': {
    'share-let-go-when-a-stream-begins': letGo(
      'share',
      '/v1/chat/completions',
      'scripted-serverless',
    ),
  },
});
