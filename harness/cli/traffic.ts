/** Traffic of others: what its commands are told, how it is told while it goes on, and its report. */

import type { PlannedTarget } from '../runner/selection.ts';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Contract } from '../../schemas/requirement.ts';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Target } from '../../schemas/target.ts';
import type { HostRule, ProxyCounts } from '../passive/proxy.ts';
import type { LiveTraffic } from '../../schemas/live.ts';
import type { ObservedTraffic, RunnerError } from '../../schemas/report.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { exitCode } from '../../reports/model/conclusions.ts';
import { present, replayCommand } from '../../reports/model/text.ts';
import { loadDeviations } from '../target/deviations.ts';
import { warnOfStrangers } from './files.ts';
import type { RunOptions } from './commands/options.ts';
import type { ExitCode } from './exit.ts';
import { reportOf } from './report-of-run.ts';
import { printReport } from './write-report.ts';

/** The options of every command that reports on traffic of others. */
interface TrafficReportOptions extends Pick<
  RunOptions,
  'only' | 'out' | 'strict' | 'deviations' | 'reporter' | 'json' | 'force'
> {
  readonly exclusive: boolean;
}

export interface ObserveOptions extends TrafficReportOptions {
  /** `host:port`. */
  readonly listen: string;
  readonly page: string;
  readonly host: HostRule;
  /** Header lines that every request gets on its way. */
  readonly header?: readonly string[];
  /** Seconds after which it ends by itself. */
  readonly for?: number;
}

export interface AuditOptions extends TrafficReportOptions {
  readonly target?: string;
  readonly contract?: Contract;
  readonly baseUrl?: string;
}

const SECONDS = 60;
const LATENCIES = 2_000;

/** Counts what ends, by the second. */
export class Rates {
  readonly #perSecond = new Map<number, number>();
  readonly #latencies: number[] = [];
  #next = 0;

  note(exchange: Exchange): void {
    const second = Math.floor(Date.now() / 1_000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + 1);
    for (const one of this.#perSecond.keys()) {
      if (one < second - SECONDS) this.#perSecond.delete(one);
      else break;
    }
    if (exchange.headMs === undefined) return;
    this.#latencies[this.#next] = exchange.headMs;
    this.#next = (this.#next + 1) % LATENCIES;
  }

  /** Of the last seconds that are over, oldest first. */
  perSecond(): readonly number[] {
    const now = Math.floor(Date.now() / 1_000);
    return Array.from({ length: SECONDS }, (_, at) => this.#perSecond.get(now - SECONDS + at) ?? 0);
  }

  latency(): LiveTraffic['latency'] {
    if (this.#latencies.length === 0) return null;
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { median: at(0.5), p99: at(0.99) };
  }
}

/** What passed and was not judged, or not in full; reasons that did not occur are left out. */
export function notJudged(
  view: JudgedView,
  counts: Pick<ProxyCounts, 'notHttp' | 'upgraded'>,
  dropped: number,
): ObservedTraffic['notJudged'] {
  return counted([
    [
      'the body was too large to be held, or cannot be read here: judged by its head alone',
      view.headOnly,
    ],
    ['elsewhere than below the base URL, so not of the contract', view.elsewhere],
    ['judging had fallen behind', dropped],
    ['a connection that was no HTTP/1.1, from some point on', counts.notHttp],
    ['a connection that was upgraded to another protocol', counts.upgraded],
  ]);
}

/** Reasons that occurred, with how often they did. */
export function counted(
  reasons: readonly (readonly [reason: string, count: number])[],
): ObservedTraffic['notJudged'] {
  return reasons.filter(([, count]) => count > 0).map(([reason, count]) => ({ reason, count }));
}

/** Everything that is known now. */
export function liveTraffic({
  target,
  listening,
  startedAt,
  view,
  counts,
  dropped,
  rates,
}: {
  readonly target: Target;
  readonly listening: string;
  readonly startedAt: number;
  readonly view: JudgedView;
  readonly counts: ProxyCounts;
  readonly dropped: number;
  readonly rates: Rates;
}): LiveTraffic {
  const known = new Map(requirementsOf(target.contract).map((one) => [one.id, one]));
  const requirements = view.requirements.flatMap(({ requirement, seen, violations, latest }) => {
    const one = known.get(requirement);
    if (one === undefined) return [];
    const { id, statement, strength } = one;
    return [{ id, statement, strength, seen, violations, ...present({ latest }) }];
  });
  return {
    target: { name: target.name, contract: target.contract, baseUrl: target.baseUrl },
    listening,
    startedAt,
    now: Date.now(),
    source: 'proxy',
    judged: view.judged,
    notJudged: notJudged(view, counts, dropped),
    clients: view.clients,
    connections: counts.connections,
    underWay: counts.underWay,
    perSecond: rates.perSecond(),
    latency: rates.latency(),
    requirements: requirements.toSorted(
      (one, other) => other.violations - one.violations || other.seen - one.seen,
    ),
    answers: view.traffic.map(({ latencies: _latencies, ...answer }) => answer),
    following: view.following,
  };
}

interface JudgedTraffic {
  readonly planned: PlannedTarget;
  /** Path of the target file; undefined without one. */
  readonly file: string | undefined;
  readonly startedAt: Date;
  /** Absent when judging broke. */
  readonly outcome: CaseOutcome | undefined;
  readonly troubles?: readonly RunnerError[];
  readonly observed: ObservedTraffic;
  /** The command that shows a finding again; that of a run unless told. */
  readonly replay?: (requirement: string) => string;
}

/** Makes the report, writes it and tells it. */
export async function reportTraffic(
  { planned, file, startedAt, outcome, troubles = [], observed, replay }: JudgedTraffic,
  options: TrafficReportOptions,
): Promise<ExitCode> {
  const { target } = planned;
  const deviations = loadDeviations(options.deviations);
  warnOfStrangers(options.deviations, deviations, [target.name]);
  const judged = reportOf({
    plan: {
      runId: randomUUID().slice(0, 8),
      targets: [planned],
      // Nothing of it was drawn.
      seed: 0,
      runs: 0,
      only: options.only,
      journal: '',
    },
    startedAt,
    outcomes: outcome === undefined ? [] : [outcome],
    troubles,
    deviations,
    fileOf: new Map(file === undefined ? [] : [[target.name, file]]),
    // What its clients ask for is not for us to choose.
    decided: 0,
    // No case of the suite saw it: the whole of it is what may see it again.
    replay: replay ?? ((id) => replayCommand(file && path.resolve(file), id, 0)),
  });
  const report = { ...judged, targets: judged.targets.map((one) => ({ ...one, observed })) };
  await printReport(report, options);
  return exitCode(report, { strict: options.strict });
}
