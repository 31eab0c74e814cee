/** The progress of a run on a terminal. */

import { duration, plural } from '../model/text.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';

export interface ProgressOptions {
  /** True for a terminal that can rewrite a line. */
  readonly live: boolean;
  readonly width?: number;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
}

/** The used part of a writable stream. */
export interface TextSink {
  write(text: string): unknown;
}

const REDRAW_MS = 80;
/** Milliseconds between two lines where none can be rewritten, as in a CI log. */
const LOG_EVERY_MS = 30_000;
/** Milliseconds without a finished case after which the line says so. */
const QUIET_MS = 3_000;
/** Number of finished cases from which the remaining time can be estimated. */
const FIRST_CASES = 5;

export class Progress {
  readonly #out: TextSink;
  readonly #live: boolean;
  readonly #width: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #total = { cases: 0, requests: 0, findings: 0 };
  #expected = 0;
  #toldAt: number;
  #lastEndedAt: number;

  constructor(out: TextSink, options: ProgressOptions) {
    this.#out = out;
    this.#live = options.live;
    this.#width = options.width ?? 80;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
    // A terminal shows progress at once. The log of a short run stays empty.
    this.#toldAt = this.#live ? Number.NEGATIVE_INFINITY : this.#startedAt;
    this.#lastEndedAt = this.#startedAt;
  }

  /** Sets the expected number of cases. */
  expect(cases: number): void {
    this.#expected = cases;
    this.tick();
  }

  outcome(outcome: CaseOutcome): void {
    this.#total.cases += 1;
    this.#total.requests += outcome.requests;
    this.#total.findings += outcome.findings.length;
    this.#lastEndedAt = this.#now();
    this.tick();
  }

  /** Clears the progress line. */
  finish(): void {
    if (this.#live) this.#out.write(ERASE_LINE);
  }

  /** To be called about once a second, so that progress is also shown while all cases wait. */
  tick(): void {
    const now = this.#now();
    if (now - this.#toldAt < (this.#live ? REDRAW_MS : LOG_EVERY_MS)) return;
    this.#toldAt = now;
    const parts = this.#parts(now);
    if (!this.#live) {
      this.#out.write(`${parts.join(SEPARATOR)}\n`);
      return;
    }
    // On a narrow terminal, what is left to wait for stays.
    while (parts.length > 2 && parts.join(SEPARATOR).length >= this.#width) parts.splice(1, 1);
    this.#out.write(ERASE_LINE + parts.join(SEPARATOR).slice(0, this.#width - 1));
  }

  #parts(now: number): string[] {
    const elapsed = now - this.#startedAt;
    const { cases, requests, findings } = this.#total;
    const rate = elapsed > 0 ? (requests / elapsed) * 1_000 : 0;
    const parts = [
      this.#expected > 0 ? `${cases}/${this.#expected} cases` : plural(cases, 'case'),
      // Requests count once their case has ended, so at first none does.
      ...(requests > 0 ? [`${rate.toFixed(rate < 1 ? 1 : 0)} requests/s`] : []),
      plural(findings, 'finding'),
    ];
    if (now - this.#lastEndedAt > QUIET_MS) {
      parts.push(`no case ended for ${duration(now - this.#lastEndedAt)}`);
    } else if (cases >= FIRST_CASES && this.#expected > cases) {
      parts.push(`about ${duration((elapsed / cases) * (this.#expected - cases))} left`);
    }
    return parts;
  }
}

const SEPARATOR = ' · ';
const ERASE_LINE = '\r\u001b[2K';
