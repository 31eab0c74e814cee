/** Checks that compare each exchange with earlier ones of the run: ids, owners, descriptions, meters and terminations. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { notObserved, pass, violated } from '../judgement.ts';
import { type Fold, freshId } from '../universal.ts';
import { expectAnswer } from './answers.ts';
import { requestIdOf } from './envelope.ts';
import { isInstanceState } from './lifecycle.ts';
import type { ComputeFold, Shown } from './operation.ts';
import { idOf, idsOf, isSuccess, numberOf, textOf, type WireRecord } from './records.ts';
import { costsOfRuns, runtimesRest } from './meters.ts';
import { staysListed } from './scoping.ts';
import { LAG_MS } from './settling.ts';

/** No two requests share a request id (compute#errors/request_id). */
export const requestIdFresh: ComputeFold<string> = {
  requirement: 'compute.errors.request-id-fresh',
  judge: ({ exchange }, known) => freshId(exchange, requestIdOf(exchange), known),
};

/** A key that was accepted is not refused as unknown later (compute#authentication/rule-3). */
export const keyStays: ComputeFold<string> = {
  requirement: 'compute.authentication.key-stays-valid',
  judge: ({ exchange }, known) => {
    const { credential } = exchange.request;
    const status = exchange.response?.status ?? 0;
    if (credential === undefined) return { judgement: notObserved, learned: [] };
    const earlier = known.get(credential);
    if (earlier === undefined) {
      const learned = isSuccess(exchange) ? [[credential, exchange.id] as const] : [];
      return { judgement: notObserved, learned };
    }
    const judgement = expectAnswer(
      exchange,
      status !== 401,
      'A key that was let in before is refused as if nobody had it.',
      `no refusal of keys.${credential}, as in exchange ${earlier}`,
    );
    return { judgement, learned: [] };
  },
};

/** Keys of different accounts; the owners of the other keys are open. */
const owners: readonly string[] = ['primary', 'second'];

interface Owned {
  readonly owner: string;
  readonly exchange: string;
}

/** No instance is listed for two accounts (compute#overview/scoped). Not observed until both accounts were listed. */
export const ownersApart: ComputeFold<Owned> = {
  requirement: 'compute.scoping.lists-disjoint',
  judge: ({ exchange, kind, records }, known) => {
    const owner = exchange.request.credential;
    if (kind !== 'list' || owner === undefined || !owners.includes(owner) || records.length === 0) {
      return { judgement: notObserved, learned: [] };
    }
    const ids = idsOf(records);
    const entry = { owner, exchange: exchange.id };
    // The map also holds the accounts that were listed, under their own names.
    const learned = [owner, ...ids].map((key) => [key, known.get(key) ?? entry] as const);
    const foreign = ids.find((id) => (known.get(id)?.owner ?? owner) !== owner);
    if (foreign !== undefined) {
      const { owner: other, exchange: earlier } = known.get(foreign) ?? {};
      const judgement = violated(
        'An instance was listed for two accounts.',
        {
          expected: `instances of keys.${owner} alone`,
          actual: `${foreign}, listed for keys.${other} in exchange ${earlier}`,
        },
        exchange,
      );
      return { judgement, learned };
    }
    const areBoth = owners.every((one) => one === owner || known.has(one));
    return { judgement: areBoth ? pass(ids.length) : notObserved, learned };
  },
};

/** Fields that preset and region fix for an instance; a stopped instance may have less than a running one. */
const fixed = ['region', 'gpu_type', 'size', 'cpu_count'] as const;
type Description = readonly (string | number | undefined)[];

interface Described {
  readonly now: Description;
  /** The description before the current one. */
  readonly before: Description | undefined;
  /** When lists had first shown both. */
  readonly since: number;
  /** The latest exchange that showed it, and when the latest list of the instance ended. */
  readonly exchange: string;
  readonly until: number;
  /** How often it returned to the description before. */
  readonly returns: number;
}

/** An instance may be moved or resized, and back once. Two such returns within one run are a violation. */
const RETURNS_THAT_TELL = 2;

/**
 * All lists describe the hardware of an instance alike while its status is the same (compute#variants/rule-1). A page is
 * compared only when its request began after the previous page ended, and a change may take as long to show as a replica
 * may lag. Not observed until an instance is listed again.
 */
export const describedAlike: ComputeFold<Described> = {
  requirement: 'compute.instance-record.lists-describe-alike',
  judge: ({ exchange, kind, records }, known) => {
    const observations = (kind === 'list' ? records : []).flatMap((record) => {
      const id = idOf(record);
      const key = shownAs(record);
      const earlier = known.get(key);
      if (id === '' || (earlier !== undefined && exchange.startedAt <= earlier.until)) return [];
      return [{ id, key, earlier, now: describedAfter(earlier, record, exchange) }];
    });
    const repeated = observations.filter(({ earlier }) => earlier !== undefined);
    const returned = repeated.find(
      ({ earlier, now }) =>
        now.returns > (earlier?.returns ?? 0) && now.returns >= RETURNS_THAT_TELL,
    );
    const judgement =
      returned === undefined
        ? pass(repeated.length)
        : violated(
            'Lists alternate between two descriptions of one instance.',
            {
              expected: `${returned.id} as in exchange ${returned.earlier?.exchange}: ${inWords(returned.now.before)}`,
              actual: inWords(returned.now.now),
            },
            exchange,
          );
    return { judgement, learned: observations.map(({ key, now }) => [key, now] as const) };
  },
};

function describedAfter(
  earlier: Described | undefined,
  record: WireRecord,
  exchange: Exchange,
): Described {
  const now = descriptionOf(record);
  const until = endOf(exchange);
  const latest = { exchange: exchange.id, until };
  if (earlier !== undefined && isAlike(now, earlier.now)) return { ...earlier, ...latest };
  if (earlier?.before === undefined || !isAlike(now, earlier.before)) {
    return { ...latest, now, before: earlier?.now, since: until, returns: earlier?.returns ?? 0 };
  }
  if (exchange.startedAt <= earlier.since + LAG_MS) return { ...earlier, until };
  return { ...earlier, ...latest, now, before: earlier.now, returns: earlier.returns + 1 };
}

function descriptionOf(record: WireRecord): Description {
  // A value that is neither text nor number violates another requirement.
  return fixed.map((field) => textOf(record, field) ?? numberOf(record, field));
}

function shownAs(record: WireRecord): string {
  return `${textOf(record, 'status')} ${idOf(record)}`;
}

/** Whether these records describe each instance in one way while its status is the same. */
export function areDescribedAlike(records: readonly WireRecord[]): boolean {
  const ways = new Map(records.map((record) => [shownAs(record), descriptionOf(record)]));
  return records.every((record) => isAlike(descriptionOf(record), ways.get(shownAs(record)) ?? []));
}

function isAlike(one: Description, other: Description): boolean {
  return one.every((value, index) => value === other[index]);
}

function inWords(description: Description | undefined): string {
  return fixed.map((field, index) => `${field} ${description?.[index]}`).join(', ');
}

interface Varied {
  /** What the latest answer to an action showed, and when its exchange ended. */
  readonly answered: string;
  readonly exchange: string;
  readonly until: number;
  /** Whether a list has shown something else since. */
  readonly differs: boolean;
}

/**
 * Once a list has shown another region or size of an instance than an answer to an action, no list shows that of the
 * answer (compute#variants/rule-1). Not observed until a list that began after the answer has shown another one.
 */
export const listsInTheirWay: ComputeFold<Varied> = {
  requirement: 'compute.instance-record.lists-describe-alike',
  judge: ({ exchange, kind, records }, known) => {
    const shown = records.flatMap((record) =>
      (['region', 'size'] as const).flatMap((field) => {
        const key = `${field} ${idOf(record)}`;
        const value = textOf(record, field);
        return value === undefined ? [] : [{ key, field, value, earlier: known.get(key) }];
      }),
    );
    if (kind === 'action') {
      const latest = { exchange: exchange.id, until: endOf(exchange) };
      const learned = shown.map(({ key, value, earlier }) => {
        const differs = earlier?.answered === value && earlier.differs;
        return [key, { ...latest, answered: value, differs }] as const;
      });
      return { judgement: notObserved, learned };
    }
    const later = (kind === 'list' ? shown : []).flatMap(({ earlier, ...one }) =>
      earlier === undefined || exchange.startedAt <= earlier.until ? [] : [{ ...one, earlier }],
    );
    const apart = later.filter(({ earlier }) => earlier.differs);
    const broken = apart.find(({ value, earlier }) => value === earlier.answered);
    const judgement =
      broken === undefined
        ? pass(apart.length)
        : violated(
            `A list shows the ${broken.field} of an answer to an action, and showed another one before.`,
            {
              expected: `another one than in exchange ${broken.earlier.exchange}`,
              actual: broken.value,
            },
            exchange,
          );
    const learned = later
      .filter(({ value, earlier }) => value !== earlier.answered)
      .map(({ key, earlier }) => [key, { ...earlier, differs: true }] as const);
    return { judgement, learned };
  },
};

interface Ended {
  readonly exchange: string;
  readonly at: number;
}

/**
 * No instance that was shown TERMINATED is alive later (compute#overview/terminated-final). Three causes of older data are
 * excluded: a replica may lag for a while, a later page may belong to a walk over a snapshot, and lists may come from a
 * stale index, so they are compared with lists only. Not observed until a terminated instance is shown again.
 */
export const terminatedStays: ComputeFold<Ended> = {
  requirement: 'compute.states.terminated-stays',
  judge: ({ exchange, kind, records }, known) => {
    if (kind === 'action') return { judgement: notObserved, learned: [] };
    const observations = records.flatMap((record) => {
      const { status: state } = record;
      const id = idOf(record);
      const key = `${kind} ${id}`;
      return id === '' || !isInstanceState(state)
        ? []
        : [{ id, key, state, ended: known.get(key) }];
    });
    const isLaterPage = new URLSearchParams(exchange.request.query).has('cursor');
    const later = observations.filter(
      ({ ended }) => ended !== undefined && !isLaterPage && exchange.startedAt > ended.at + LAG_MS,
    );
    const revived = later.find(({ state }) => state !== 'TERMINATED' && state !== 'TERMINATING');
    const judgement =
      revived === undefined
        ? pass(later.length)
        : violated(
            'An instance that was TERMINATED came back.',
            {
              expected: `TERMINATED, as in exchange ${revived.ended?.exchange}`,
              actual: `${revived.id} is ${revived.state}`,
            },
            exchange,
          );
    const ends = observations.filter(
      ({ state, ended }) => ended === undefined && state === 'TERMINATED',
    );
    const entry = { exchange: exchange.id, at: endOf(exchange) };
    return { judgement, learned: ends.map(({ key }) => [key, entry] as const) };
  },
};

/** All checks that compare an exchange with earlier ones of the run. */
export const computeFolds: readonly Fold<Shown, ComputeRequirementId>[] = [
  requestIdFresh,
  keyStays,
  ownersApart,
  describedAlike,
  listsInTheirWay,
  runtimesRest,
  costsOfRuns,
  terminatedStays,
  staysListed,
] as readonly ComputeFold<unknown>[];
