/** How lists describe each instance, over a run: what it runs on is the same in all of them (compute#variants/rule-1). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, violated } from '../judgement.ts';
import { type WireRecord, numberOf, textOf } from './records.ts';

/** What a preset and a region fix for an instance; an instance that has stopped may have less of it than one that runs. */
const fixed = ['region', 'gpu_type', 'size', 'cpu_count'] as const;
type Description = readonly (string | number | undefined)[];

interface Sight {
  now: Description;
  /** How it was described before it was described as now. */
  before: Description | undefined;
  /** The latest exchange that showed it. */
  exchange: string;
  /** When that had ended, in milliseconds since the epoch. */
  until: number;
  returns: number;
}

/** An instance may be moved or resized, and that undone: to return twice between two lists of one run is neither. */
const RETURNS_THAT_TELL = 2;

/** Describes instances by id and state. Keeps four values of each, and no records. */
export class DescriptionLedger {
  readonly #sights = new Map<string, Sight>();

  /**
   * Judges a page of instances, and remembers them. Only what was asked for once the page before it had come is held
   * against that. Vacuous until an instance is listed again.
   */
  listed(exchange: Exchange, records: readonly WireRecord[]): Judgement {
    let seen = 0;
    let returned:
      | { readonly id: string; readonly sight: Sight; readonly earlier: string }
      | undefined;
    for (const record of records) {
      const id = textOf(record, 'instance_id');
      if (id === undefined) continue;
      const key = `${textOf(record, 'status')} ${id}`;
      const known = this.#sights.get(key);
      if (known === undefined) this.#sights.set(key, sightOf(record, exchange));
      else if (exchange.startedAt > known.until) {
        seen += 1;
        const earlier = known.exchange;
        if (returnsAgain(known, record, exchange)) returned ??= { id, sight: known, earlier };
      }
    }
    if (returned === undefined) return seen === 0 ? notObserved : { seen, violations: [] };
    const { id, sight, earlier } = returned;
    return violated(
      'Lists describe an instance now in one way and now in another, and back again.',
      {
        expected: `${id} as in exchange ${earlier}: ${inWords(sight.before)}`,
        actual: inWords(sight.now),
      },
      exchange,
    );
  }
}

function sightOf(record: WireRecord, exchange: Exchange): Sight {
  return {
    now: descriptionOf(record),
    before: undefined,
    exchange: exchange.id,
    until: exchange.startedAt + exchange.durationMs,
    returns: 0,
  };
}

/** Updates what is known by a later record; true when that returns to how it was described before, not for the first time. */
function returnsAgain(known: Sight, record: WireRecord, exchange: Exchange): boolean {
  known.until = exchange.startedAt + exchange.durationMs;
  known.exchange = exchange.id;
  const now = descriptionOf(record);
  if (isAlike(now, known.now)) return false;
  const returns = known.before !== undefined && isAlike(now, known.before);
  if (returns) known.returns += 1;
  known.before = known.now;
  known.now = now;
  return returns && known.returns >= RETURNS_THAT_TELL;
}

/** What is neither a text nor a number breaks another requirement. */
function descriptionOf(record: WireRecord): Description {
  return fixed.map((field) => textOf(record, field) ?? numberOf(record, field));
}

function isAlike(one: Description, other: Description): boolean {
  return one.every((value, index) => value === other[index]);
}

function inWords(description: Description | undefined): string {
  return fixed.map((field, index) => `${field} ${description?.[index]}`).join(', ');
}
