/** Collects what a case saw. */

import type { UniversalJudgement } from '../checks/universal.ts';
import { type Exchange, mediaType } from '../exchange/exchange.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type {
  CaseOutcome,
  LostRequests,
  OutcomeFinding,
  OutcomeGap,
  OutcomeRecording,
  PropertyRun,
} from '../../schemas/outcome.ts';
import type { TrafficRow } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Judgement, Violation } from '../checks/judgement.ts';
import { jsonBody } from '../exchange/body.ts';
import { type Redactor, reported } from '../exchange/redaction.ts';

/** What a recorder needs from its session. */
export interface RecorderTools {
  readonly contract: Contract;
  readonly target: string;
  readonly redactor: Redactor;
  readonly universal: (exchange: Exchange) => Iterable<UniversalJudgement>;
  /** The documented operation or route of an exchange. */
  readonly operation: (exchange: Exchange) => string | undefined;
  /** The code in the error envelope; `''` without one. */
  readonly code: (exchange: Exchange) => string;
  /** Requirements for which a case already keeps a sample; shared by the cases of a session. */
  readonly sampled: Set<string>;
  /** Called with the requirement of every finding. */
  readonly onFinding?: ((requirement: string) => void) | undefined;
}

/** Findings of one requirement that a case reports; further ones say nothing new. */
const KEPT_FINDINGS = 5;
const KEPT_LATENCIES = 200;

/** The name of a case in a report. */
export function caseName(contract: Contract, section: string, title: string): string {
  return `${contract}/${section} › ${title}`;
}

export class CaseRecorder {
  readonly #tools: RecorderTools;
  readonly #seen = new Map<string, number>();
  readonly #findings: OutcomeFinding[] = [];
  readonly #gaps: OutcomeGap[] = [];
  readonly #recordings: OutcomeRecording[] = [];
  readonly #errors: { message: string; stack: string | undefined }[] = [];
  readonly #kept = new Map<string, ReportedExchange>();
  readonly #samples = new Map<string, string>();
  readonly #traffic = new Map<string, TrafficRow & { readonly latencies: number[] }>();
  readonly #transitions = new Map<string, number>();
  readonly #properties: PropertyRun[] = [];
  readonly #tries = new Map<string, number>();
  readonly #lost = new Map<string, LostRequests>();
  readonly #notes = new Set<string>();
  readonly #startedAt = Date.now();
  readonly #from = performance.now();
  #requests = 0;
  #retries = 0;
  #unanswered = 0;
  /** Number of the current attempt at the case, from 1. */
  #attempt = 1;
  #last: Exchange | undefined;

  constructor(tools: RecorderTools) {
    this.#tools = tools;
  }

  /** Records every exchange of the case, retried ones included, and applies the universal checks to it. */
  readonly exchange = (exchange: Exchange): void => {
    this.#requests += 1;
    if (exchange.retries > 0) this.#retries += 1;
    if (exchange.response === undefined && exchange.ending !== 'aborted') this.#unanswered += 1;
    this.#last = exchange;
    this.#count(exchange);
    this.#lose(exchange);
    try {
      for (const { requirement, judgement } of this.#tools.universal(exchange)) {
        this.judge(requirement, judgement, exchange);
      }
    } catch (error) {
      this.error(error);
    }
  };

  /** Counts a request that still waited for its response when the budget of minutes was spent; it is not judged. */
  waited(exchange: Exchange): void {
    this.#requests += 1;
    this.#lose(exchange);
  }

  /** Adds a judgement; `shown` is cited for a violation that names no exchange. */
  judge(requirement: string, judgement: Judgement, shown = this.#last): void {
    if (judgement.seen === 0) return;
    this.#seen.set(requirement, (this.#seen.get(requirement) ?? 0) + judgement.seen);
    for (const violation of judgement.violations) this.find(requirement, violation, shown);
    const tries = Math.max(this.#attempt, judgement.tries ?? 1);
    if (tries > (this.#tries.get(requirement) ?? 1)) this.#tries.set(requirement, tries);
    if (shown !== undefined && !this.#tools.sampled.has(requirement)) {
      this.#tools.sampled.add(requirement);
      this.#samples.set(requirement, this.#keep(shown));
    }
  }

  /** Adds one violation, with the counterexample if a property found it. */
  find(
    requirement: string,
    violation: Violation,
    shown = this.#last,
    counterexample?: OutcomeFinding['counterexample'],
  ): void {
    this.#tools.onFinding?.(requirement);
    const before = this.#findings.filter((finding) => finding.requirement === requirement).length;
    if (before >= KEPT_FINDINGS) return;
    const cited = violation.exchanges.length > 0 ? violation.exchanges : shown ? [shown] : [];
    const clean = (text: string): string => this.#tools.redactor.text(text);
    this.#findings.push({
      requirement,
      message: clean(violation.message),
      expected: clean(violation.expected),
      actual: clean(violation.actual),
      exchanges: cited.slice(0, 6).map((exchange) => this.#keep(exchange)),
      ...(counterexample === undefined
        ? {}
        : { counterexample: { ...counterexample, value: clean(counterexample.value) } }),
    });
  }

  record(requirement: string, note: string, exchange?: Exchange): void {
    this.#seen.set(requirement, (this.#seen.get(requirement) ?? 0) + 1);
    this.#recordings.push({
      requirement,
      note: this.#tools.redactor.text(note),
      ...(exchange === undefined ? {} : { exchange: this.#keep(exchange) }),
    });
  }

  /** Notes a decision of the suite that the target file leaves open. */
  note(sentence: string): void {
    this.#notes.add(this.#tools.redactor.text(sentence));
  }

  gap(gap: OutcomeGap): void {
    this.#gaps.push({ ...gap, reason: this.#tools.redactor.text(gap.reason) });
  }

  /** Marks one requirement as not exercised; `line` is the line to add to the target file. */
  notExercised(requirement: string, reason: string, line?: string): void {
    const more = line === undefined ? {} : { line };
    this.gap({ requirement, kind: 'not-exercised', reason, ...more });
  }

  error(error: unknown): void {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.#errors.push({
      message: this.#tools.redactor.text(message),
      stack: stack === undefined ? undefined : this.#tools.redactor.text(stack),
    });
  }

  transition(from: string, to: string): void {
    const key = `${from}>${to}`;
    this.#transitions.set(key, (this.#transitions.get(key) ?? 0) + 1);
  }

  propertyRun(run: PropertyRun): void {
    this.#properties.push(run);
  }

  /** True when the requirement was seen or explained as a gap. */
  accountsFor(requirement: string): boolean {
    return this.#seen.has(requirement) || this.#gaps.some((gap) => gap.requirement === requirement);
  }

  /** The most frequent response to the case's requests, in brackets after a space; empty when none was sent. */
  get usualAnswer(): string {
    const [most] = [...this.#traffic.values()].toSorted((one, other) => other.count - one.count);
    if (most === undefined) return '';
    const { status, code, count } = most;
    const answer = status === 0 ? 'not answered' : `answered ${`${status} ${code}`.trim()}`;
    return ` (${count} of ${this.#requests} requests were ${answer})`;
  }

  /** Requests that the case has sent so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Requests so far that the network or the target left without any response. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Starts a further attempt after trouble on the wire; counted as a retry. */
  startOver(): void {
    this.#attempt += 1;
    this.#retries += 1;
  }

  get findings(): readonly OutcomeFinding[] {
    return this.#findings;
  }

  outcome(of: {
    readonly section: string;
    readonly title: string;
    readonly judges: readonly string[];
  }): CaseOutcome {
    return {
      case: caseName(this.#tools.contract, of.section, of.title),
      contract: this.#tools.contract,
      section: of.section,
      target: this.#tools.target,
      judges: of.judges,
      seen: Object.fromEntries(this.#seen),
      findings: this.#findings,
      gaps: this.#gaps,
      recordings: this.#recordings,
      errors: this.#errors,
      exchanges: [...this.#kept.values()],
      samples: Object.fromEntries(this.#samples),
      traffic: [...this.#traffic.values()],
      transitions: Object.fromEntries(this.#transitions),
      properties: this.#properties,
      ...(this.#notes.size > 0 ? { notes: [...this.#notes] } : {}),
      requests: this.#requests,
      retries: this.#retries,
      lost: [...this.#lost.values()],
      tries: Object.fromEntries(this.#tries),
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#from,
    };
  }

  #keep(exchange: Exchange): string {
    const { operation, redactor } = this.#tools;
    if (!this.#kept.has(exchange.id))
      this.#kept.set(exchange.id, reported(exchange, operation(exchange), redactor));
    return exchange.id;
  }

  /** Counts a request with an unreadable response, by its reason. */
  #lose(exchange: Exchange): void {
    const why = unreadable(exchange);
    if (why === undefined) return;
    const [kind = ''] = why.split(':', 1);
    const row = this.#lost.get(kind) ?? {
      exchange: this.#keep(exchange),
      why: this.#tools.redactor.text(why),
      count: 0,
    };
    this.#lost.set(kind, { ...row, count: row.count + 1 });
  }

  #count(exchange: Exchange): void {
    const operation = this.#tools.operation(exchange) ?? 'other';
    const status = exchange.response?.status ?? 0;
    const code = this.#tools.redactor.text(this.#tools.code(exchange)).slice(0, 100);
    const key = `${operation} ${status} ${code}`;
    const row = this.#traffic.get(key) ?? { operation, status, code, count: 0, latencies: [] };
    row.count += 1;
    if (row.latencies.length < KEPT_LATENCIES) {
      row.latencies.push(Math.round((exchange.headMs ?? exchange.durationMs) * 100) / 100);
    }
    this.#traffic.set(key, row);
  }
}

/** Why a response is unreadable or incomplete; undefined for a readable one, and for a request that we aborted. */
function unreadable(exchange: Exchange): string | undefined {
  const { request, response, ending, cause } = exchange;
  const type = mediaType(response?.headers ?? []);
  if (ending === 'aborted') return undefined;
  // A stream ends early when its source does, and a router should pass that on.
  if (type === 'text/event-stream' && (ending === 'cut-short' || ending === 'reset')) {
    return undefined;
  }
  if (ending !== 'complete')
    return `it ended "${ending}"${cause === undefined ? '' : `: ${cause}`}`;
  const isRead = type === 'application/json' && request.method !== 'HEAD';
  const body = isRead ? jsonBody(exchange) : undefined;
  return body?.ok === false ? body.problem : undefined;
}
