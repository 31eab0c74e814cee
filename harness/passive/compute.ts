/** Judges recorded or proxied exchanges with a compute deployment. */

import { History } from '../checks/universal.ts';
import { mayBeServerAnswer } from '../checks/router/envelope.ts';
import { lastPageIsNull, nextCursor } from '../checks/collection/bounds.ts';
import { walkEnds } from '../checks/collection/bracket.ts';
import { operationOf, shownBy } from '../checks/compute/operation.ts';
import type { Judgement } from '../checks/judgement.ts';
import { type Exchange, headerValue, endOf } from '../exchange/exchange.ts';
import { type Follower, Recent, shortened, type FindingSink } from './followers.ts';
import type { ComputeBindings, ComputeTarget } from '../../schemas/compute/target.ts';
import { requestIdFresh } from '../checks/compute/history.ts';
import { computeUniversal } from '../checks/compute/universal.ts';
import { refusedBare } from '../checks/clients.ts';
import type { JudgeOptions, TrafficJudgement, TrafficModule } from './followers.ts';
import { InstanceFollower } from './instances.ts';

/** Maximum number of remembered cursors, each with the page that issued it. */
const MAX_CURSORS = 5_000;
/** Maximum number of pages that wait for their following page. */
const MAX_WAITING = 200;
/** Bytes of an earlier page that a finding shows. */
const SHOWN_BYTES = 2 * 1024;
/** Maximum number of pages of one walk that are remembered. */
const LONGEST_LOOK_BACK = 2_000;

interface Step {
  readonly cursor: string;
  /** The page that issued the cursor. */
  readonly page: Exchange;
  readonly before: Step | undefined;
  readonly depth: number;
}

const endRequirements = {
  'list-instances': 'compute.pagination.walk-ends',
  presets: 'compute.presets.walk-ends',
} as const;

export class WalkFollower implements Follower {
  readonly #steps = new Recent<string, Step>(MAX_CURSORS);
  /** Pages that are not full but have a cursor. The following page decides whether that is a violation. */
  readonly #short = new Recent<string, Exchange>(MAX_WAITING);

  /** Number of cursors that may still be followed. */
  get size(): number {
    return this.#steps.size;
  }

  take(exchange: Exchange, sink: FindingSink): void {
    const operation = operationOf(exchange, undefined)?.operation;
    if (operation !== 'list-instances' && operation !== 'presets') return;
    const next = nextCursor(exchange);
    if (next === undefined) return;
    const query = new URLSearchParams(exchange.request.query);
    const cursor = query.get('cursor');
    const walk = walkOf(exchange, query);
    const here = cursor === null ? undefined : this.#steps.get(`${walk}\n${cursor}`);
    // An unknown cursor was invented by the client or issued before we started to watch.
    const known = cursor === null || here !== undefined;
    if (operation === 'list-instances') this.#lastPage(exchange, walk, cursor, next, sink);
    if (next === null) {
      if (known)
        sink.judge(endRequirements[operation], ended(exchange, here, 'last-page'), exchange);
      return;
    }
    if (!known) return;
    if (stepsTo(here).some((step) => step.cursor === next)) {
      // A cursor may name the last item of its page, and items of a sorted list change places from walk to walk.
      if (query.has('sort_field')) return;
      sink.judge(endRequirements[operation], ended(exchange, here, 'cursor-again'), exchange);
      return;
    }
    const place = `${walk}\n${next}`;
    if (this.#steps.get(place) === undefined) {
      // Bounds the memory for an endless walk.
      const before = here !== undefined && here.depth < LONGEST_LOOK_BACK ? here : undefined;
      const page = shortened(exchange, SHOWN_BYTES);
      this.#steps.set(place, { cursor: next, page, before, depth: (before?.depth ?? 0) + 1 });
    }
  }

  #lastPage(
    exchange: Exchange,
    walk: string,
    cursor: string | null,
    next: string | null,
    sink: FindingSink,
  ): void {
    if (cursor !== null) {
      const before = this.#short.get(`${walk}\n${cursor}`);
      if (before === undefined || endOf(before) > exchange.startedAt) return;
      this.#short.delete(`${walk}\n${cursor}`);
      const { judgement } = lastPageIsNull(before, exchange);
      sink.judge('compute.pagination.last-page-null', judgement, before);
      return;
    }
    const { judgement } = lastPageIsNull(exchange, undefined);
    sink.judge('compute.pagination.last-page-null', judgement, exchange);
    if (next !== null) this.#short.set(`${walk}\n${next}`, exchange);
  }
}

/** Judges how a walk ended, given the steps to its last page. */
function ended(
  exchange: Exchange,
  here: Step | undefined,
  end: 'last-page' | 'cursor-again',
): Judgement {
  const exchanges = [...stepsTo(here).map(({ page }) => page), exchange];
  return walkEnds({ ids: [], exchanges, end });
}

/** The steps that led here, first to last. */
function stepsTo(here: Step | undefined): readonly Step[] {
  const back: Step[] = [];
  for (let step = here; step !== undefined; step = step.before) back.push(step);
  return back.toReversed();
}

/** Identifies a walk: the same key, path, and query apart from the cursor. */
function walkOf(exchange: Exchange, query: URLSearchParams): string {
  const key = headerValue(exchange.request.headers, 'authorization') ?? '';
  const rest = [...query].filter(([name]) => name !== 'cursor').map((pair) => pair.join('='));
  return [key, exchange.request.path, ...rest.toSorted()].join('\n');
}

/** Maximum number of request ids that are remembered to detect repeats. */
const MAX_IDS = 100_000;

export const computeTraffic: TrafficModule<ComputeTarget> = {
  universal,
  judge,
  observedLimit: 'compute.rate-limiting.observed-limit',
};

function universal(
  bindings: ComputeBindings,
): ReturnType<TrafficModule<ComputeTarget>['universal']> {
  const history = new History([requestIdFresh], (one) => shownBy(one, bindings), MAX_IDS);
  return (exchange) => [...computeUniversal(exchange, { bindings }), ...history.judge(exchange)];
}

function judge(target: ComputeTarget, { source, exclusive }: JudgeOptions): TrafficJudgement {
  const bindings = target.bindings ?? {};
  const ofEvery = universal(bindings);
  const operation = (exchange: Exchange): string | undefined =>
    operationOf(exchange, bindings)?.operation;
  return {
    operation,
    // A request to an unknown path may be a start, which the followers must see.
    covers: (exchange) => exchange.request.path.startsWith('/'),
    *alone(exchange) {
      // A web server may refuse a request before the service sees it. The contract does not cover that.
      if (!mayBeServerAnswer(exchange)) yield* ofEvery(exchange);
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
