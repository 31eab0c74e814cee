/** What a request held and what comes back twice, so that more is let in than a limit allows. */

import type { RequestContext } from '../model.ts';
import { replace, faultTable } from './answering.ts';

const ID = 'router.admission';

/** Milliseconds from which a request on its way through admission counts as parked. */
const PARKED_MS = 25;

export const givenBackTwiceFaults = [
  ...faultTable({
    'router.admission.slots-full-reaches-no-engine': {
      'slot-back-twice-after-error': replace(
        'release',
        (original, holding, ending, free, context) => {
          original(holding, ending, free, context);
          if (holding === 'slot' && ending === 'failed' && context.model === 'scripted-slot')
            free();
        },
      ),
    },
    'router.admission.inflight-over-reaches-no-engine': {
      'parked-place-back-twice': (rules) => {
        const parkedFrom = new WeakMap<RequestContext, number>();
        const parked = new WeakSet<RequestContext>();
        return {
          parkMs: (limits, context) => {
            parkedFrom.set(context, performance.now());
            return rules.parkMs(limits, context);
          },
          queueFullMs: (limits, context) => {
            const from = parkedFrom.get(context);
            if (from !== undefined && performance.now() - from > PARKED_MS) parked.add(context);
            return rules.queueFullMs(limits, context);
          },
          release: (holding, ending, free, context) => {
            rules.release(holding, ending, free, context);
            if (holding === 'inflight' && parked.has(context)) free();
          },
        };
      },
    },
  }),
  ...(
    [
      ['failed', 'after-error', 'that its engine refused'],
      ['hang-up', 'after-hang-up', 'whose client hung up'],
    ] as const
  ).flatMap(([ended, name, _what]) =>
    faultTable({
      [`${ID}.inflight-over-reaches-no-engine`]: {
        [`place-back-twice-${name}`]: replace(
          'release',
          (original, holding, ending, free, context) => {
            original(holding, ending, free, context);
            if (holding === 'inflight' && ending === ended) free();
          },
        ),
      },
    }),
  ),
];
