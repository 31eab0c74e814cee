/** Judges exchanges of other clients, each by itself and over time. */

import { isDecodable, envelopeCode } from '../exchange/body.ts';
import { type Exchange, headerValue } from '../exchange/exchange.ts';
import type { LiveTraffic } from '../../schemas/live.ts';
import type { CaseOutcome, OutcomeGap } from '../../schemas/outcome.ts';
import type { TrafficRow } from '../../schemas/report.ts';
import type { Target } from '../../schemas/target.ts';
import {
  ClientFollower,
  type JudgeOptions,
  type TrafficJudgement,
  type TrafficModule,
} from './followers.ts';
import { Credentials } from './credentials.ts';
import { type RequirementTally, Tally } from './tally.ts';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import { caseName } from '../runner/recorder.ts';
import { missingNeeds } from '../target/offers.ts';

/** Marks the exchange as one without a body if we cannot read it: a partial response, or an unsupported content coding. */
function judgeable(exchange: Exchange): Exchange {
  if (exchange.ending !== 'complete' || exchange.response === undefined) return exchange;
  const { status, headers } = exchange.response;
  const cause =
    status === 206
      ? 'the client asked for a part of the body'
      : headerValue(headers, 'content-encoding') !== undefined && !isDecodable(exchange)
        ? 'the content coding cannot be read here'
        : undefined;
  return cause === undefined ? exchange : { ...exchange, ending: 'too-large', cause };
}

/** The results so far. */
export interface JudgedView extends Pick<LiveTraffic, 'judged' | 'clients' | 'following'> {
  readonly elsewhere: number;
  readonly headOnly: number;
  readonly requirements: readonly RequirementTally[];
  readonly traffic: readonly TrafficRow[];
}

/** The section of all traffic in a report. */
const SECTION = 'traffic';

export class TrafficJudge {
  readonly #options: JudgeOptions;
  readonly #credentials: Credentials;
  readonly #contract: TrafficJudgement;
  readonly #clients: ClientFollower;
  readonly #tally: Tally;
  #followers: ReturnType<TrafficJudgement['followers']>;
  readonly #startedAt = Date.now();
  #elsewhere = 0;
  #headOnly = 0;

  constructor(options: JudgeOptions, traffic: TrafficModule<Target>) {
    const { target, secrets } = options.planned;
    this.#options = options;
    this.#credentials = new Credentials(secrets);
    this.#contract = traffic.judge(target, options);
    this.#clients = new ClientFollower(traffic.observedLimit);
    this.#tally = new Tally(this.#contract.operation);
    this.#followers = this.#contract.followers();
  }

  /** Starts with new followers: the clock has changed, or exchanges were missed. */
  startTimeline(): void {
    this.#followers = this.#contract.followers();
    this.#clients.startTimeline();
  }

  /** Takes one exchange that has ended. Never throws: an error of our own is counted. */
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

  outcome(): CaseOutcome {
    const { planned, source } = this.#options;
    const { target } = planned;
    const seen = new Set(this.#tally.requirements().map((one) => one.requirement));
    const title = source === 'proxy' ? 'what passed through the proxy' : 'what was recorded';
    return this.#tally.outcome(
      {
        case: caseName(target.contract, SECTION, title),
        contract: target.contract,
        section: SECTION,
        target: target.name,
        gaps: requirementsOf(target.contract)
          .filter(({ id }) => !seen.has(id))
          .map((unseen) => gapOf(target, unseen, source)),
        startedAt: this.#startedAt,
        durationMs: Date.now() - this.#startedAt,
      },
      this.#credentials,
    );
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
    // Without a start time, the exchange has no place in the order.
    if (exchange.startedAt <= 0) return;
    for (const follower of [...this.#followers.all, this.#clients]) {
      follower.take(exchange, this.#tally);
    }
  }
}

/** Requirements that followers judge, in addition to the universal ones. */
const followed: ReadonlySet<string> = new Set([
  'compute.authentication.header-missing',
  'compute.pagination.last-page-null',
  'compute.pagination.walk-ends',
  'compute.presets.walk-ends',
  'compute.rate-limiting.observed-limit',
  'compute.states.errored-entry',
  'compute.states.order-kept',
  'compute.states.terminated-stays',
  'compute.stop-instance.terminated-conflict',
  'compute.terminate-instance.terminated-conflict',
  'router.authentication.missing-on-admin',
  'router.authentication.missing-on-chat',
  'router.authentication.missing-on-models',
  'router.authentication.missing-on-proxy',
  'router.authentication.refusal-same-body',
  'router.authentication.refusal-same-challenge',
  'router.authentication.refusal-same-status',
  'router.response-headers.request-id-fresh',
]);

/** Why a requirement was not observed. */
function gapOf(
  target: Target,
  requirement: Requirement,
  source: JudgeOptions['source'],
): OutcomeGap {
  const gap = { requirement: requirement.id, kind: 'not-exercised' } as const;
  const visible = requirement.universal === true || followed.has(requirement.id);
  if (!visible) {
    return { ...gap, reason: 'traffic of others does not show it; plumbline run provokes it' };
  }
  const bindings = (requirement.needs ?? []).filter((need) => need.startsWith('bindings.'));
  const [missing] = missingNeeds(target, bindings);
  if (missing !== undefined) {
    return { ...gap, reason: `needs ${missing.purpose}`, line: missing.line };
  }
  const what = source === 'proxy' ? 'traffic' : 'recording';
  return { ...gap, reason: `the ${what} did not show it` };
}
