/** Counts what exchanges show about each requirement. */

import type { CaseOutcome, OutcomeRecording } from '../../schemas/outcome.ts';
import type { TrafficRow } from '../../schemas/report.ts';
import type { Judgement, Violation } from '../checks/judgement.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Credentials } from './credentials.ts';
import { KeptExchanges } from './followers.ts';

const KEPT = 200;

class Sample {
  readonly #values: number[] = [];
  #stride = 1;
  #passed = 0;

  /** Samples a value. The sampling interval doubles as values accumulate; values are rounded to hundredths. */
  add(value: number): void {
    if (this.#passed % this.#stride === 0) {
      this.#values.push(Math.round(value * 100) / 100);
      if (this.#values.length >= 2 * KEPT) {
        // Drops every other value and halves the sampling rate.
        const half = this.#values.filter((_, at) => at % 2 === 0);
        this.#values.splice(0, this.#values.length, ...half);
        this.#stride *= 2;
      }
    }
    this.#passed += 1;
  }

  values(): readonly number[] {
    return this.#values;
  }
}

/** Maximum number of distinct violations per requirement: in all, and with the same message. */
const MAX_DISTINCT = 15;
const MAX_ALIKE = 3;
/** Maximum number of traffic rows. Codes come from the server and may be anything. */
const MAX_ROWS = 500;
const MAX_NOTES = 25;
const MAX_ERRORS = 20;

interface Found {
  readonly violation: Violation;
  readonly exchanges: readonly string[];
  count: number;
}

interface Row extends Omit<TrafficRow, 'latencies'> {
  readonly latencies: Sample;
}

/** The counts of one requirement so far. */
export interface RequirementTally {
  readonly requirement: string;
  readonly seen: number;
  readonly violations: number;
  /** The newest distinct violation. */
  readonly latest: Pick<Violation, 'message' | 'expected' | 'actual'> | undefined;
}

export class Tally {
  readonly #kept = new KeptExchanges();
  readonly #operation: (exchange: Exchange) => string | undefined;
  readonly #seen = new Map<string, number>();
  readonly #violations = new Map<string, number>();
  readonly #found = new Map<string, Map<string, Found>>();
  readonly #samples = new Map<string, string>();
  readonly #rows = new Map<string, Row>();
  readonly #notes = new Map<string, Map<string, OutcomeRecording>>();
  readonly #transitions = new Map<string, number>();
  readonly #errors: { message: string; stack: string | undefined }[] = [];
  #exchanges = 0;

  constructor(operation: (exchange: Exchange) => string | undefined) {
    this.#operation = operation;
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  count(exchange: Exchange, code: string): void {
    this.#exchanges += 1;
    const operation = this.#operation(exchange) ?? 'other';
    const status = exchange.response?.status ?? 0;
    const short = code.slice(0, 100);
    const key = `${operation} ${status} ${short}`;
    const known = this.#rows.get(key);
    const full = known === undefined && this.#rows.size >= MAX_ROWS;
    const place = full ? `${operation} ${status} ` : key;
    const row = this.#rows.get(place) ?? {
      operation,
      status,
      code: full ? '' : short,
      count: 0,
      latencies: new Sample(),
    };
    row.count += 1;
    row.latencies.add(exchange.headMs ?? exchange.durationMs);
    this.#rows.set(place, row);
  }

  /** Adds a judgement. `shown` is cited for a violation that names no exchange. */
  judge(requirement: string, judgement: Judgement, shown: Exchange): void {
    if (judgement.seen === 0) return;
    this.#seen.set(requirement, (this.#seen.get(requirement) ?? 0) + judgement.seen);
    for (const violation of judgement.violations) this.#find(requirement, violation, shown);
    if (!this.#samples.has(requirement)) this.#samples.set(requirement, this.#keep(shown));
  }

  /** Records what the deployment does where the contract is open. Each note is kept once. */
  record(requirement: string, note: string, exchange: Exchange): void {
    const notes = this.#notes.get(requirement) ?? new Map<string, OutcomeRecording>();
    this.#notes.set(requirement, notes);
    this.#seen.set(requirement, (this.#seen.get(requirement) ?? 0) + 1);
    if (notes.has(note) || notes.size >= MAX_NOTES) return;
    notes.set(note, { requirement, note, exchange: this.#keep(exchange) });
  }

  transition(from: string, to: string): void {
    const change = `${from}>${to}`;
    this.#transitions.set(change, (this.#transitions.get(change) ?? 0) + 1);
  }

  /** Adds an error of our own. */
  error(error: unknown): void {
    if (this.#errors.length >= MAX_ERRORS) return;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.#errors.push({ message, stack });
  }

  /** Every requirement with at least one observation. */
  requirements(): readonly RequirementTally[] {
    return [...this.#seen].map(([requirement, seen]) => ({
      requirement,
      seen,
      violations: this.#violations.get(requirement) ?? 0,
      latest: [...(this.#found.get(requirement)?.values() ?? [])].at(-1)?.violation,
    }));
  }

  /** The number of responses by operation, status and code. */
  rows(): readonly TrafficRow[] {
    return [...this.#rows.values()].map(({ latencies, ...row }) => ({
      ...row,
      latencies: latencies.values(),
    }));
  }

  /** Everything as the outcome of one case, without secrets. */
  outcome(
    about: Pick<
      CaseOutcome,
      'case' | 'contract' | 'section' | 'target' | 'gaps' | 'startedAt' | 'durationMs'
    >,
    credentials: Credentials,
  ): CaseOutcome {
    const clean = (text: string): string => credentials.redactor.text(text);
    return {
      ...about,
      judges: [],
      seen: Object.fromEntries(this.#seen),
      findings: [...this.#found].flatMap(([requirement, found]) =>
        [...found.values()].map(({ violation, exchanges, count }) => ({
          requirement,
          message: clean(violation.message),
          expected: credentials.overflows ? '(withheld)' : clean(violation.expected),
          actual: credentials.overflows ? '(withheld)' : clean(violation.actual),
          exchanges,
          count,
        })),
      ),
      recordings: [...this.#notes.values()].flatMap((notes) =>
        [...notes.values()].map((note) => ({ ...note, note: clean(note.note) })),
      ),
      errors: this.#errors.map(({ message, stack }) => ({
        message: clean(message),
        stack: stack === undefined ? undefined : clean(stack),
      })),
      exchanges: this.#kept.reported(credentials),
      samples: Object.fromEntries(this.#samples),
      traffic: this.rows().map((row) => ({ ...row, code: clean(row.code) })),
      transitions: Object.fromEntries(this.#transitions),
      properties: [],
      requests: this.#exchanges,
      retries: 0,
    };
  }

  #find(requirement: string, violation: Violation, shown: Exchange): void {
    this.#violations.set(requirement, (this.#violations.get(requirement) ?? 0) + 1);
    const found = this.#found.get(requirement) ?? new Map<string, Found>();
    this.#found.set(requirement, found);
    const key = [violation.message, violation.expected, violation.actual].join('\n');
    const alike = [...found.values()].filter((one) => one.violation.message === violation.message);
    const [first] = alike.length === 0 ? found.values() : alike;
    const isFull = alike.length >= MAX_ALIKE || found.size >= MAX_DISTINCT;
    // A violation over the maximum is counted with the first similar one.
    const known = found.get(key) ?? (isFull ? first : undefined);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const cited = violation.exchanges.length > 0 ? violation.exchanges : [shown];
    found.set(key, {
      violation: { ...violation, exchanges: [] },
      exchanges: cited.slice(0, 6).map((exchange) => this.#keep(exchange)),
      count: 1,
    });
  }

  #keep(exchange: Exchange): string {
    return this.#kept.keep(exchange, this.#operation(exchange));
  }
}
