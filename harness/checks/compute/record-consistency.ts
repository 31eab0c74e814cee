/** Universal: how the fields of one record hang together (compute#instance, compute#variants). */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { isDateTime, isInstant } from '../../../schemas/compute/date-time.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import { isHeadlineSize } from '../../../schemas/compute/wire.ts';
import { type Judgement, present, violated } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { type Flaw, type RecordsOfAnswer, over } from './instance-record.ts';
import { type WireRecord, firstRepeat, idsOf, numberOf, textOf } from './records.ts';

type Verdict = UniversalJudgement<ComputeRequirementId>;
type Verdicts = Generator<Verdict>;

/** States in which nothing has been terminated. After a failure ERRORED may follow a terminate. */
const alive = new Set(['CREATED', 'DEPLOYED', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED']);
const codes: readonly string[] = regionCodes;

/** Credits are decimals that travel as binary fractions: figures that differ by less are the same. */
function isAbove(left: number, right: number): boolean {
  return left - right > 1e-6 * Math.max(1, Math.abs(left), Math.abs(right));
}

/** Judges what both variants say alike. */
export function* recordConsistency(answer: RecordsOfAnswer): Verdicts {
  yield* dates(answer);
  yield* when(answer, 'running-has-started', state('RUNNING'), (record) =>
    record['started_at'] === null || record['started_at'] === undefined
      ? flaw('A RUNNING instance does not tell when it started.', 'a date', record['started_at'])
      : undefined,
  );
  yield* when(answer, 'terminated-has-date', state('TERMINATED'), (record) =>
    record['terminated_at'] === null || record['terminated_at'] === undefined
      ? flaw('A TERMINATED instance has no date of termination.', 'a date', record['terminated_at'])
      : undefined,
  );
  for (const [slug, field] of [
    ['alive-has-no-date', 'terminated_at'],
    ['alive-has-no-reason', 'termination_reason'],
  ] as const) {
    yield* when(answer, slug, isAlive, (record) =>
      record[field] === null || record[field] === undefined
        ? undefined
        : flaw(`A ${textOf(record, 'status')} instance has ${field}.`, 'null', record[field]),
    );
  }
}

/** Judges what only list pages say. */
export function* listConsistency(answer: RecordsOfAnswer): Verdicts {
  if (answer.records.length === 0) return;
  yield { requirement: 'compute.instance-record.id-unique', judgement: unique(answer) };
  yield* when(answer, 'list-region-code', has('region'), (record) =>
    codes.includes(textOf(record, 'region') ?? '')
      ? undefined
      : flaw(
          'The region of a listed instance is no region code.',
          codes.join(', '),
          record['region'],
        ),
  );
  yield* when(answer, 'list-cost-within-total', hasCosts, (record) =>
    isAbove(numberOf(record, 'current_cost') ?? 0, numberOf(record, 'total_cost_incurred') ?? 0)
      ? costs('The cost of the current run is above the cost of the whole life.', 'at most', record)
      : undefined,
  );
}

/** Judges what only answers to stop and terminate say. */
export function* actionConsistency(answer: RecordsOfAnswer): Verdicts {
  yield* when(answer, 'action-region-narrower', has('region'), (record) =>
    codes.includes(textOf(record, 'region') ?? '')
      ? flaw('The region is a region code and not a location.', 'a location', record['region'])
      : undefined,
  );
  yield* when(answer, 'action-size-headline', has('size'), (record) =>
    isHeadlineSize(textOf(record, 'size') ?? '')
      ? undefined
      : flaw('The size is no count with a unit.', 'a count with a unit', record['size']),
  );
  yield* when(answer, 'action-cost-whole-life', hasCosts, (record) => {
    const current = numberOf(record, 'current_cost') ?? 0;
    const total = numberOf(record, 'total_cost_incurred') ?? 0;
    return isAbove(current, total) || isAbove(total, current)
      ? costs('The current cost is not the total cost incurred.', 'equal to', record)
      : undefined;
  });
}

function* dates(answer: RecordsOfAnswer): Verdicts {
  const dated = (record: WireRecord) =>
    ['started_at', 'terminated_at'].filter((field) => isDateTime(textOf(record, field) ?? ''));
  yield* when(
    answer,
    'dates-are-instants',
    (record) => dated(record).length > 0,
    (record) => {
      const vague = dated(record).find((field) => !isInstant(textOf(record, field) ?? ''));
      return vague === undefined
        ? undefined
        : flaw(`${vague} does not name one instant.`, 'seconds and a UTC offset', record[vague]);
    },
  );
}

function unique(answer: RecordsOfAnswer): Judgement {
  const ids = idsOf(answer.records).filter((id) => id !== '');
  const twice = firstRepeat(ids);
  return twice === undefined
    ? { seen: ids.length, violations: [] }
    : violated(
        'Two items of one page carry the same instance id.',
        { expected: 'each id once', actual: `${twice} twice` },
        answer.exchange,
      );
}

type RelationSlug = {
  [Id in ComputeRequirementId]: Id extends `compute.instance-record.${infer Slug}` ? Slug : never;
}[ComputeRequirementId];

/** Judges the records that `applies` picks; yields nothing when it picks none. */
function* when(
  answer: RecordsOfAnswer,
  slug: RelationSlug,
  applies: (record: WireRecord) => boolean,
  flawOf: (record: WireRecord) => Flaw | undefined,
): Verdicts {
  const records = answer.records.filter((record) => applies(record));
  if (records.length === 0) return;
  yield {
    requirement: `compute.instance-record.${slug}`,
    judgement: over(records, answer, flawOf),
  };
}

function state(wanted: string): (record: WireRecord) => boolean {
  return (record) => record['status'] === wanted;
}

function isAlive(record: WireRecord): boolean {
  return alive.has(textOf(record, 'status') ?? '');
}

/** A field that is not even text is judged by its own requirement, and says nothing here. */
function has(field: string): (record: WireRecord) => boolean {
  return (record) => textOf(record, field) !== undefined;
}

function hasCosts(record: WireRecord): boolean {
  return (
    numberOf(record, 'current_cost') !== undefined &&
    numberOf(record, 'total_cost_incurred') !== undefined
  );
}

function costs(message: string, relation: string, record: WireRecord): Flaw {
  return flaw(
    message,
    `current_cost ${relation} total_cost_incurred, ${String(record['total_cost_incurred'])}`,
    record['current_cost'],
  );
}

function flaw(message: string, expected: string, actual: unknown): Flaw {
  return { message, expected, actual: actual === undefined ? 'absent' : present(actual) };
}
