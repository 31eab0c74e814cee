/** Judges exchanges that somebody else made: each alone, and over time. */

import type { CaseOutcome, TrafficRow } from '../../schemas/outcome.ts';
import type { Target } from '../../schemas/target.ts';
import { contractOf } from '../contracts.ts';
import type { JudgeOptions, TrafficJudgement, TrafficModule } from '../contract.ts';
import { envelopeCode } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { ClientFollower, type ClientManners } from './clients.ts';
import { Credentials } from './credentials.ts';
import { judgeable } from './judgeable.ts';
import { type RequirementTally, Tally } from './tally.ts';
import { unseenGaps } from './unseen.ts';

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

  /** Judges by the contract of the target. */
  static async of(options: JudgeOptions): Promise<TrafficJudge> {
    const { contract } = options.planned.target;
    return new TrafficJudge(options, await contractOf(contract).traffic());
  }

  constructor(options: JudgeOptions, traffic: TrafficModule<Target>) {
    const { target, secrets } = options.planned;
    this.#options = options;
    this.#credentials = new Credentials(secrets);
    this.#contract = traffic.judge(target, options);
    this.#clients = new ClientFollower(traffic.observedLimit);
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
