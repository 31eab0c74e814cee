/** How the exchanges of others with a compute deployment are judged. */

import type { ComputeBindings, ComputeTarget } from '../../schemas/compute/target.ts';
import { requestIdFresh } from '../checks/compute/history.ts';
import { operationOf, shownBy } from '../checks/compute/operation.ts';
import { computeUniversal } from '../checks/compute/universal.ts';
import { refusedBare } from '../checks/no-credential.ts';
import { mayBeServerAnswer } from '../checks/router/envelope.ts';
import type { JudgeOptions, TrafficJudgement, TrafficModule } from '../contract.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { History } from '../runner/recorder.ts';
import { InstanceFollower } from './instances.ts';
import { WalkFollower } from './walks.ts';

/** Ids of the latest answers that are remembered, to see that none comes twice. */
const MAX_IDS = 100_000;

export const computeTraffic: TrafficModule<ComputeTarget> = {
  universal(bindings: ComputeBindings) {
    const history = new History([requestIdFresh], (exchange) => shownBy(exchange, bindings));
    return (exchange) => [...computeUniversal(exchange, { bindings }), ...history.judge(exchange)];
  },
  judge,
  observedLimit: 'compute.rate-limiting.observed-limit',
};

function judge(target: ComputeTarget, { source, exclusive }: JudgeOptions): TrafficJudgement {
  const bindings = target.bindings ?? {};
  const history = new History([requestIdFresh], (one) => shownBy(one, bindings), MAX_IDS);
  const operation = (exchange: Exchange): string | undefined =>
    operationOf(exchange, bindings)?.operation;
  return {
    operation,
    // An act at an unknown address may be a start, which the followers must see.
    covers: (exchange) => exchange.request.path.startsWith('/'),
    *alone(exchange) {
      // What a web server refused before the service saw it is not the word of the service.
      if (!mayBeServerAnswer(exchange)) {
        yield* computeUniversal(exchange, { bindings });
        yield* history.judge(exchange);
      }
      if (source === 'proxy' && operation(exchange) !== undefined) {
        yield {
          requirement: 'compute.authentication.header-missing',
          judgement: refusedBare(exchange),
        };
      }
    },
    followers: () => {
      const instances = new InstanceFollower(bindings, exclusive);
      const walks = new WalkFollower();
      return {
        all: [instances, walks],
        following: () => ({ instances: instances.size, cursors: walks.size }),
      };
    },
  };
}
