/** Whose instances are whose, over a run: no instance is listed for two accounts (compute#overview/scoped). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, violated } from '../judgement.ts';
import { type WireRecord, idsOf } from './records.ts';

/** Keys of different accounts; of the others it is open whose they are. */
const owners: ReadonlySet<string> = new Set(['primary', 'second']);

/** Ids that were listed, each with the key and the exchange that listed it first. Keeps names and no records. */
export class OwnerLedger {
  readonly #first = new Map<string, { readonly owner: string; readonly exchange: string }>();
  readonly #met = new Set<string>();

  /** Judges a page of instances, and remembers them. Vacuous until both accounts were listed. */
  listed(exchange: Exchange, records: readonly WireRecord[]): Judgement {
    const owner = exchange.request.credential;
    if (owner === undefined || !owners.has(owner) || records.length === 0) return notObserved;
    this.#met.add(owner);
    let foreign: string | undefined;
    const ids = idsOf(records);
    for (const id of ids) {
      const known = this.#first.get(id);
      if (known === undefined) this.#first.set(id, { owner, exchange: exchange.id });
      else if (known.owner !== owner) foreign ??= id;
    }
    if (foreign !== undefined) {
      const { owner: other, exchange: earlier } = this.#first.get(foreign) ?? {};
      return violated(
        'An instance was listed for two accounts.',
        {
          expected: `instances of keys.${owner} alone`,
          actual: `${foreign}, listed for keys.${other} in exchange ${earlier}`,
        },
        exchange,
      );
    }
    return this.#met.size < owners.size ? notObserved : { seen: ids.length, violations: [] };
  }
}
