/** Universal: the fields of one record and their relations (compute#instance, compute#variants). */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import {
  fieldRequirement,
  instanceFieldNames,
  instanceFields,
  type InstanceVariant,
  isDateTime,
  isInstant,
  mayBeHeadline,
} from '../../../schemas/compute/wire.ts';
import { figureOf } from '../../exchange/body.ts';
import { present, type Violation } from '../judgement.ts';
import { numberOf, textOf, type WireRecord } from './records.ts';
import { isRegionCode, regionCodes } from '../../../schemas/compute/regions.ts';
import { CLOCKS_APART_MS, CREDIT } from './figures.ts';

/** What is wrong with one record, without its exchange. */
export type Flaw = Omit<Violation, 'exchanges'>;

/** What one record shows about one requirement. */
export interface RecordVerdict {
  readonly requirement: ComputeRequirementId;
  /** Tells apart several verdicts of one requirement, as for several fields. */
  readonly aspect?: string;
  readonly flaw: Flaw | undefined;
}

/** Judges each documented field of a record. */
export function* fieldVerdicts(
  record: WireRecord,
  variant: InstanceVariant,
): Generator<RecordVerdict> {
  for (const name of instanceFieldNames) {
    const field = instanceFields[name];
    const isThere = Object.hasOwn(record, name);
    // The document does not say whether a nullable field may be absent; any other field must be there.
    if (field.nullable) {
      yield {
        requirement: `compute.instance-record.${variant}-nullable-there`,
        aspect: name,
        flaw: isThere ? undefined : wrong(name, 'null or a value', 'absent'),
      };
      if (!isThere) continue;
    }
    yield {
      requirement: fieldRequirement(variant, field.slug),
      flaw: isThere ? flawIn(record[name], name) : wrong(name, field.is, 'absent'),
    };
  }
}

function flawIn(value: unknown, name: keyof typeof instanceFields): Flaw | undefined {
  const { is, schema } = instanceFields[name];
  return schema.safeParse(figureOf(value)).success ? undefined : wrong(name, is, present(value));
}

function wrong(name: string, expected: string, actual: string): Flaw {
  return { message: `${name} is not ${expected}.`, expected, actual };
}

type Verdicts = Generator<RecordVerdict>;

/** States in which an instance has not been terminated. ERRORED is excluded: it may follow a failed terminate. */
const alive = new Set(['CREATED', 'DEPLOYED', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED']);
/** Figures that cannot be negative; credits may be given back, and remaining hours be overdrawn. */
const amounts = [
  'cpu_count',
  'bandwidth',
  'storage_used_gb',
  'hourly_rate',
  'total_runtime_hours',
] as const;

const dateFields = ['started_at', 'terminated_at'] as const;

/** Credits are sent as decimals but computed as binary fractions: tiny differences count as equal. */
function isAbove(left: number, right: number): boolean {
  return left - right > 1e-6 * Math.max(1, Math.abs(left), Math.abs(right));
}

/** Judges the relations that hold in both variants. */
export function* recordConsistency(record: WireRecord): Verdicts {
  const { status, started_at: started, terminated_at: end, termination_reason: reason } = record;
  const isEnded = status === 'TERMINATED';
  const dated = dateFields.filter((field) => isDateTime(textOf(record, field) ?? ''));
  const vague = dated.find((field) => !isInstant(textOf(record, field) ?? ''));
  yield* when('dates-are-instants', dated.length > 0, vague !== undefined, () =>
    flaw(`${vague} does not name one instant.`, 'seconds and a UTC offset', record[vague ?? '']),
  );
  yield* when('running-has-started', status === 'RUNNING', (started ?? null) === null, () =>
    flaw('A RUNNING instance does not tell when it started.', 'a date', started),
  );
  yield* when('terminated-has-date', isEnded, (end ?? null) === null, () =>
    flaw('A TERMINATED instance has no date of termination.', 'a date', end),
  );
  yield* when('terminated-has-reason', isEnded, isNothing(reason), () =>
    flaw('A TERMINATED instance has no reason of termination.', 'a reason', reason),
  );
  const below = amounts.find((field) => (numberOf(record, field) ?? 0) < 0);
  yield* when('figures-not-negative', true, below !== undefined, () =>
    flaw(`${below} is below zero.`, '0 or more', record[below ?? '']),
  );
  yield* deathAfterStart(record);
  const isAlive = alive.has(textOf(record, 'status') ?? '');
  for (const [slug, field] of [
    ['alive-has-no-date', 'terminated_at'],
    ['alive-has-no-reason', 'termination_reason'],
  ] as const) {
    yield* when(slug, isAlive, !isNothing(record[field]), () =>
      flaw(`A ${String(status)} instance has ${field}.`, 'null', record[field]),
    );
  }
}

/** Judges the relations that hold only in list pages. */
export function* listConsistency(record: WireRecord): Verdicts {
  const isCode = isRegionCode(record['region']);
  yield* when('list-region-code', has(record, 'region'), !isCode, () =>
    flaw(
      'The region of a listed instance is no region code.',
      `${regionCodes.join(', ')}, or a location that bindings.locations.unmapped names`,
      record['region'],
    ),
  );
  // The total may be rounded to whole credits and booked once an hour.
  const slack = CREDIT + (numberOf(record, 'hourly_rate') ?? 0);
  const { current, total } = costsOf(record);
  yield* when('list-cost-within-total', hasCosts(record), current > total + slack, () =>
    costs('The cost of the current run is above the cost of the whole life.', 'at most', record),
  );
}

/** Judges the relations that hold only in responses to stop and terminate. */
export function* actionConsistency(record: WireRecord): Verdicts {
  const isCode = isRegionCode(record['region']);
  yield* when('action-region-narrower', has(record, 'region'), isCode, () =>
    flaw('The region is a region code and not a location.', 'a location', record['region']),
  );
  const isHeadline = mayBeHeadline(textOf(record, 'size') ?? '');
  yield* when('action-size-headline', has(record, 'size'), !isHeadline, () =>
    flaw('The size is no count with a unit.', 'a count with a unit', record['size']),
  );
  const { current, total } = costsOf(record);
  const isOther = isAbove(current, total) || isAbove(total, current);
  yield* when('action-cost-whole-life', hasCosts(record), isOther, () =>
    costs('The current cost is not the total cost incurred.', 'equal to', record),
  );
}

/** Judges the order of the two dates, which different hosts may have set. */
function* deathAfterStart(record: WireRecord): Verdicts {
  const [started = '', terminated = ''] = dateFields.map((field) => textOf(record, field));
  const isDated = isInstant(started) && isInstant(terminated);
  const aheadMs = Date.parse(started.toUpperCase()) - Date.parse(terminated.toUpperCase());
  const isEnded = record['status'] === 'TERMINATED' && isDated && !Number.isNaN(aheadMs);
  yield* when('terminated-after-start', isEnded, aheadMs > CLOCKS_APART_MS, () =>
    flaw(
      'An instance was terminated before it began to run.',
      `terminated_at after started_at, ${started}`,
      terminated,
    ),
  );
}

type RelationSlug = {
  [Id in ComputeRequirementId]: Id extends `compute.instance-record.${infer Slug}` ? Slug : never;
}[ComputeRequirementId];

/** Yields a verdict where the record `applies` to the requirement. */
function* when(
  slug: RelationSlug,
  applies: boolean,
  isBroken: boolean,
  flawOf: () => Flaw,
): Verdicts {
  if (!applies) return;
  yield {
    requirement: `compute.instance-record.${slug}`,
    flaw: isBroken ? flawOf() : undefined,
  };
}

/** An empty text means no termination either. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** A field that is not text violates its own requirement, and is not judged here. */
function has(record: WireRecord, field: string): boolean {
  return textOf(record, field) !== undefined;
}

function hasCosts(record: WireRecord): boolean {
  return Object.values(costsOf(record)).every((cost) => !Number.isNaN(cost));
}

/** Both costs of a record; NaN for an absent one, which compares as neither above nor below. */
function costsOf(record: WireRecord) {
  const [current = NaN, total = NaN] = ['current_cost', 'total_cost_incurred'].map((field) =>
    numberOf(record, field),
  );
  return { current, total };
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
