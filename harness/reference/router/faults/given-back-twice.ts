/** What a request held and what comes back twice, so that more is let in than a limit allows. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';

const ID = 'router.admission';

/** Milliseconds from which a request on its way through admission counts as parked. */
const PARKED_MS = 25;

export const givenBackTwiceFaults = declareFaults<RouterRules>([
  {
    name: 'slot-back-twice-after-error',
    summary: 'Gives the slot of a request that its engine refused back twice.',
    breaks: [`${ID}.slots-full-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      release: (holding, ending, free, context) => {
        rules.release(holding, ending, free, context);
        if (holding === 'slot' && ending === 'failed' && context.model === 'scripted-slot') free();
      },
    }),
  },
  ...(
    [
      ['failed', 'after-error', 'that its engine refused'],
      ['hang-up', 'after-hang-up', 'whose client hung up'],
    ] as const
  ).map(([ended, name, what]): Fault<RouterRules> => ({
    name: `place-back-twice-${name}`,
    summary: `Gives the place in flight of a request ${what} back twice.`,
    breaks: [`${ID}.inflight-over-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      release: (holding, ending, free, context) => {
        rules.release(holding, ending, free, context);
        if (holding === 'inflight' && ending === ended) free();
      },
    }),
  })),
  {
    name: 'parked-place-back-twice',
    summary: 'Gives the place in flight of a request that was parked for it back twice.',
    breaks: [`${ID}.inflight-over-reaches-no-engine`],
    patch: (rules) => {
      const parkedFrom = new WeakMap<RequestContext, number>();
      const parked = new WeakSet<RequestContext>();
      return {
        ...rules,
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
]);
