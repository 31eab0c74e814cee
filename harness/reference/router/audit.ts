/** What the router remembers of requests that reached a session: agent and usage, also of discarded output. */

export interface AuditRecord {
  readonly requestId: string;
  readonly key: string;
  readonly model: string;
  readonly path: string;
  readonly agent: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Code of the error that the client got; undefined after a success. */
  readonly code: string | undefined;
}

/** Older records make room: a reference deployment may run for days. */
const KEPT = 1_000;

export class Audit {
  readonly #records: AuditRecord[] = [];

  add(record: AuditRecord): void {
    this.#records.push(record);
    if (this.#records.length > KEPT) this.#records.shift();
  }

  records(): readonly AuditRecord[] {
    return [...this.#records];
  }
}
