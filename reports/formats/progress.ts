/** How a run is shown on a terminal while it goes on. */

import { duration, plural } from '../model/text.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';

export interface ProgressOptions {
  /** A terminal that can rewrite a line. */
  readonly live: boolean;
  readonly width?: number;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
}

/** The part of a writable stream that is needed. */
export interface TextSink {
  write(text: string): unknown;
}

const REDRAW_MS = 80;
/** Milliseconds between two lines where none can be rewritten, as in the log of a job. */
const LOG_EVERY_MS = 30_000;
/** Milliseconds without the end of a case after which the line says how long that has been. */
const QUIET_MS = 3_000;
/** Too little to tell the rest of the time by. */
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
    // A terminal is told at once; the log of a short run stays empty.
    this.#toldAt = this.#live ? Number.NEGATIVE_INFINITY : this.#startedAt;
    this.#lastEndedAt = this.#startedAt;
  }

  /** How many cases there will be. */
  expect(cases: number): void {
    this.#expected = cases;
    this.#tell();
  }

  outcome(outcome: CaseOutcome): void {
    this.#total.cases += 1;
    this.#total.requests += outcome.requests;
    this.#total.findings += outcome.findings.length;
    this.#lastEndedAt = this.#now();
    this.#tell();
  }

  /** To be called every second or so: tells also of time in which all cases wait. */
  tick(): void {
    this.#tell();
  }

  /** Leaves the terminal as it was. */
  finish(): void {
    if (this.#live) this.#out.write(ERASE_LINE);
  }

  #tell(): void {
    const now = this.#now();
    if (now - this.#toldAt < (this.#live ? REDRAW_MS : LOG_EVERY_MS)) return;
    this.#toldAt = now;
    const line = this.#line(now);
    this.#out.write(this.#live ? ERASE_LINE + line.slice(0, this.#width - 1) : `${line}\n`);
  }

  #line(now: number): string {
    const elapsed = now - this.#startedAt;
    const { cases, requests, findings } = this.#total;
    const rate = elapsed > 0 ? Math.round((requests / elapsed) * 1_000) : 0;
    const parts = [
      this.#expected > 0 ? `${cases}/${this.#expected} cases` : plural(cases, 'case'),
      `${rate} requests/s`,
      plural(findings, 'finding'),
    ];
    if (now - this.#lastEndedAt > QUIET_MS) {
      parts.push(`no case ended for ${duration(now - this.#lastEndedAt)}`);
    } else if (cases >= FIRST_CASES && this.#expected > cases) {
      parts.push(`about ${duration((elapsed / cases) * (this.#expected - cases))} left`);
    }
    return parts.join(' · ');
  }
}

const ERASE_LINE = '\r\u001b[2K';
