/** Which instances were shown TERMINATED, over a run: none of them is alive later (compute#overview/terminated-final). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, violated } from '../judgement.ts';
import { isInstanceState } from './lifecycle.ts';
import { type WireRecord, textOf } from './records.ts';
import { LAG_MS } from './settling.ts';

/** The first answer that showed an instance TERMINATED. */
interface Ended {
  readonly exchange: string;
  /** When that had ended, in milliseconds since the epoch. */
  readonly at: number;
}

/** Keeps the ids of terminated instances, and no records. */
export class TerminatedLedger {
  readonly #ended = new Map<string, Ended>();

  /**
   * Judges the records that a list or a single read showed, and remembers those that are TERMINATED. Whoever reads a copy
   * may be behind for a while, and shows the state before; a later page may be one of a walk that shows everything as it was
   * when it began. Vacuous until a terminated instance is shown again after that.
   */
  shown(exchange: Exchange, records: readonly WireRecord[]): Judgement {
    const isLaterPage = new URLSearchParams(exchange.request.query).has('cursor');
    let seen = 0;
    let revived: { readonly id: string; readonly state: string; readonly ended: Ended } | undefined;
    for (const record of records) {
      const { status: state } = record;
      const id = textOf(record, 'instance_id')?.toLowerCase();
      if (id === undefined || !isInstanceState(state)) continue;
      // A list may be read from an index that is far behind the record.
      const key = `${exchange.request.path.endsWith('/instances') ? 'list' : 'record'} ${id}`;
      const ended = this.#ended.get(key);
      if (ended !== undefined) {
        if (isLaterPage || exchange.startedAt <= ended.at + LAG_MS) continue;
        seen += 1;
        if (state !== 'TERMINATED' && state !== 'TERMINATING') revived ??= { id, state, ended };
      } else if (state === 'TERMINATED') {
        this.#ended.set(key, {
          exchange: exchange.id,
          at: exchange.startedAt + exchange.durationMs,
        });
      }
    }
    if (revived === undefined) return seen === 0 ? notObserved : { seen, violations: [] };
    return violated(
      'An instance that was TERMINATED came back.',
      {
        expected: `TERMINATED, as in exchange ${revived.ended.exchange}`,
        actual: `${revived.id} is ${revived.state}`,
      },
      exchange,
    );
  }
}
