/** Judges exchanges that somebody else made: each alone, and over time. */

import type { CaseOutcome, TrafficRow } from '../../schemas/outcome.ts';
import type { ComputeTarget, RouterTarget } from '../../schemas/target.ts';
import { refusedBare } from '../checks/no-credential.ts';
import { operationOf, shownBy } from '../checks/compute/operation.ts';
import { computeUniversal } from '../checks/compute/universal.ts';
import { requestIdFresh } from '../checks/compute/history.ts';
import { envelopeOf } from '../checks/router/envelope.ts';
import { routerRequestIdFresh } from '../checks/router/request-id.ts';
import { familyOf, routeOf } from '../checks/router/route.ts';
import { mayBeServerAnswer } from '../checks/router/server-answer.ts';
import { routerUniversal } from '../checks/router/universal.ts';
import type { UniversalJudgement } from '../checks/universal.ts';
import { envelopeCode } from '../exchange/envelope-code.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { History } from '../runner/history.ts';
import type { PlannedTarget } from '../runner/run-plan.ts';
import { ClientFollower, type ClientManners } from './clients.ts';
import { Credentials } from './credentials.ts';
import type { Follower } from './follower.ts';
import { InstanceFollower } from './instances.ts';
import { judgeable } from './judgeable.ts';
import { RefusalFollower } from './refusals.ts';
import { type RequirementTally, Tally } from './tally.ts';
import { type TrafficSource, unseenGaps } from './unseen.ts';
import { WalkFollower } from './walks.ts';

export interface JudgeOptions {
  readonly planned: Pick<PlannedTarget, 'target' | 'secrets'>;
  readonly source: TrafficSource;
  /** Nobody acts on the deployment but through what is seen. */
  readonly exclusive: boolean;
}

/** What is known by now. */
export interface JudgedView {
  readonly judged: number;
  readonly elsewhere: number;
  readonly headOnly: number;
  readonly requirements: readonly RequirementTally[];
  readonly traffic: readonly TrafficRow[];
  readonly clients: readonly ClientManners[];
  readonly following: { readonly instances: number; readonly cursors: number };
}

/** Ids of the latest answers that are remembered, to see that none comes twice. */
const MAX_IDS = 100_000;

interface ContractJudge {
  readonly operation: (exchange: Exchange) => string | undefined;
  /** False for what the contract does not speak of. */
  readonly covers: (exchange: Exchange) => boolean;
  readonly alone: (exchange: Exchange) => Iterable<UniversalJudgement>;
  /** Fresh ones, which know nothing yet. */
  readonly followers: () => Followers;
}

interface Followers {
  readonly all: readonly Follower[];
  readonly following: () => { readonly instances: number; readonly cursors: number };
}

export class TrafficJudge {
  readonly #options: JudgeOptions;
  readonly #credentials: Credentials;
  readonly #contract: ContractJudge;
  readonly #clients: ClientFollower;
  readonly #tally: Tally;
  #followers: Followers;
  readonly #startedAt = Date.now();
  #elsewhere = 0;
  #headOnly = 0;

  constructor(options: JudgeOptions) {
    const { target, secrets } = options.planned;
    this.#options = options;
    this.#credentials = new Credentials(secrets);
    this.#contract =
      target.contract === 'compute'
        ? computeJudge(target, options)
        : routerJudge(target, options.source);
    this.#clients = new ClientFollower(
      target.contract === 'compute' ? 'compute.rate-limiting.observed-limit' : undefined,
    );
    this.#tally = new Tally(this.#contract.operation);
    this.#followers = this.#contract.followers();
  }

  /** From here on times are those of another clock, or something was missed: nothing is followed from before. */
  startTimeline(): void {
    this.#followers = this.#contract.followers();
    this.#clients.startTimeline();
  }

  /** Takes one exchange that has ended. Never throws: a mistake of ours is counted as one. */
  take(raw: Exchange): void {
    try {
      this.#judge(raw);
    } catch (error) {
      this.#tally.error(error);
    }
  }

  view(): JudgedView {
    const clean = (text: string): string => this.#credentials.redactor.text(text);
    return {
      judged: this.#tally.exchanges,
      elsewhere: this.#elsewhere,
      headOnly: this.#headOnly,
      requirements: this.#tally.requirements().map(({ latest, ...one }) => ({
        ...one,
        latest: latest && {
          message: clean(latest.message),
          expected: clean(latest.expected),
          actual: clean(latest.actual),
        },
      })),
      traffic: this.#tally.rows().map((row) => ({ ...row, code: clean(row.code) })),
      clients: this.#clients.manners().map((one) => ({ ...one, client: clean(one.client) })),
      following: this.#followers.following(),
    };
  }

  /** The outcome of all of it. */
  outcome(): CaseOutcome {
    const { planned, source } = this.#options;
    const { target } = planned;
    return this.#tally.outcome({
      contract: target.contract,
      target: target.name,
      section: 'traffic',
      title: source === 'proxy' ? 'what passed through the proxy' : 'what was recorded',
      gaps: unseenGaps(
        target,
        new Set(this.#tally.requirements().map((one) => one.requirement)),
        source,
      ),
      startedAt: this.#startedAt,
      endedAt: Date.now(),
      credentials: this.#credentials,
    });
  }

  #judge(raw: Exchange): void {
    const exchange = judgeable(this.#credentials.named(raw));
    if (!this.#contract.covers(exchange)) {
      this.#elsewhere += 1;
      return;
    }
    if (exchange.ending === 'too-large') this.#headOnly += 1;
    this.#tally.count(exchange, envelopeCode(exchange));
    for (const { requirement, judgement } of this.#contract.alone(exchange)) {
      this.#tally.judge(requirement, judgement, exchange);
    }
    // Without a time nothing comes before or after it.
    if (exchange.startedAt <= 0) return;
    for (const follower of [...this.#followers.all, this.#clients]) {
      follower.take(exchange, this.#tally);
    }
  }
}

function computeJudge(target: ComputeTarget, { source, exclusive }: JudgeOptions): ContractJudge {
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

function routerJudge(target: RouterTarget, source: TrafficSource): ContractJudge {
  const history = new History([routerRequestIdFresh], (exchange) => exchange, MAX_IDS);
  const universal = routerUniversal({
    target,
    mayBeForwarded: isPerhapsForwarded,
  });
  return {
    operation: routeOf,
    covers: ({ request: { path } }) => /^\/(?:v1|admin)\//u.test(path),
    *alone(exchange) {
      yield* universal(exchange);
      yield* history.judge(exchange);
    },
    // A recording may have left credentials out, and then every request looks as if it had none.
    followers: () => ({
      all: source === 'proxy' ? [new RefusalFollower()] : [],
      following: () => ({ instances: 0, cursors: 0 }),
    }),
  };
}

/**
 * A router keeps an envelope that an engine sent on a proxy route, with whatever code and source is in it: nothing
 * tells it from the router's own but that engines do not refuse the clients of the router.
 */
function isPerhapsForwarded(exchange: Exchange): boolean {
  if (familyOf(exchange) !== 'proxy') return false;
  const code = envelopeOf(exchange)?.code;
  return code !== undefined && !(code === 'unauthorized' && exchange.response?.status === 401);
}
