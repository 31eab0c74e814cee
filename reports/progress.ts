/** Live progress: one line that rewrites itself on a terminal, a line per section elsewhere. */

import type { CaseOutcome } from '../schemas/outcome.ts';
import { visibleLine } from './visible-text.ts';
import { duration, plural } from './wording.ts';

export interface ProgressOptions {
  /** A terminal that can rewrite a line. */
  readonly live: boolean;
  readonly width?: number;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
}

interface Tally {
  cases: number;
  requests: number;
  findings: number;
}

/** The part of a writable stream that is needed. */
export interface TextSink {
  write(text: string): unknown;
}

const REDRAW_MS = 80;
/** Too little to tell the rest of the time by. */
const FIRST_CASES = 5;

export class Progress {
  readonly #onExchange: TextSink;
  readonly #live: boolean;
  readonly #width: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #total: Tally = { cases: 0, requests: 0, findings: 0 };
  readonly #sections = new Map<string, Tally>();
  #expected = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(onExchange: TextSink, options: ProgressOptions) {
    this.#onExchange = onExchange;
    this.#live = options.live;
    this.#width = options.width ?? 80;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
  }

  /** How many cases there will be. */
  expect(cases: number): void {
    this.#expected = cases;
    this.#draw();
  }

  outcome(outcome: CaseOutcome): void {
    const name = `${outcome.target} › ${outcome.contract}/${outcome.section}`;
    const section = this.#sections.get(name) ?? { cases: 0, requests: 0, findings: 0 };
    this.#sections.set(name, section);
    for (const tally of [this.#total, section]) {
      tally.cases += 1;
      tally.requests += outcome.requests;
      tally.findings += outcome.findings.length;
    }
    this.#draw();
  }

  /** A section is done; `name` is `target › contract/section`. Says nothing on a live terminal. */
  section(name: string): void {
    const tally = this.#sections.get(name);
    if (this.#live || tally === undefined) return;
    this.#onExchange.write(
      `${visibleLine(name)}: ${plural(tally.cases, 'case')}, ${plural(tally.requests, 'request')}, ${plural(tally.findings, 'finding')}\n`,
    );
  }

  /** Leaves the terminal as it was. */
  finish(): void {
    if (this.#live) this.#onExchange.write(ERASE_LINE);
  }

  #draw(): void {
    if (!this.#live) return;
    const now = this.#now();
    if (now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#onExchange.write(
      ERASE_LINE + this.#line(now - this.#startedAt).slice(0, this.#width - 1),
    );
  }

  #line(elapsed: number): string {
    const { cases, requests, findings } = this.#total;
    const rate = elapsed > 0 ? Math.round((requests / elapsed) * 1_000) : 0;
    const parts = [
      this.#expected > 0 ? `${cases}/${this.#expected} cases` : plural(cases, 'case'),
      `${rate} requests/s`,
      plural(findings, 'finding'),
    ];
    if (cases >= FIRST_CASES && this.#expected > cases) {
      parts.push(`about ${duration((elapsed / cases) * (this.#expected - cases))} left`);
    }
    return parts.join(' · ');
  }
}

const ERASE_LINE = '\r\u001b[2K';
