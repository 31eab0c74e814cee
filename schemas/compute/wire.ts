/** Schemas of the wire format: exact where the contract states something, open where it is silent. */

import { z } from 'zod';
import { clause, type Part, stated } from '../requirement.ts';
import { instanceStates } from './states.ts';
import { stopped } from './needs.ts';

const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;
const complete = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * True for an existing calendar date with a valid time. The contract names ISO 8601 without a profile, so
 * seconds and offset may be missing; a leap second and 24:00 as the end of a day are valid.
 */
export function isDateTime(text: string): boolean {
  const match = form.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const inDay =
    hour < 24 ? minute < 60 && second <= 60 : hour === 24 && minute === 0 && second === 0;
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay && inDay;
}

/** True when a date and time names one instant: it has seconds and a UTC offset (RFC 3339 section 5.6). */
export function isInstant(text: string): boolean {
  return isDateTime(text) && complete.test(text);
}

const dateTime = z
  .string()
  .refine((text) => isDateTime(text), 'not an ISO 8601 date and time')
  .meta({ format: 'date-time' });

/** 4.0 and 4 are the same JSON number; the contract sets no upper bound. */
const integer = z
  .number()
  .refine((value) => Number.isInteger(value), 'not an integer')
  .meta({ type: 'integer' });

/** A field: the suffix of its requirement ids, its type as the end of "X is …", and its schema. */
const field = <const S extends string, T extends z.ZodType>(slug: S, is: string, schema: T) => ({
  slug,
  is,
  schema,
  nullable: false,
});

/** A field that may be null; the contract does not say whether it may also be absent. */
const nullable = <const S extends string, T extends z.ZodType>(slug: S, is: string, schema: T) => ({
  slug,
  is: `${is} or null`,
  schema: schema.nullable(),
  nullable: true,
});

const text = <const S extends string>(slug: S) => field(slug, 'text', z.string());
const number = <const S extends string>(slug: S) => field(slug, 'a number', z.number());
const moment = <const S extends string>(slug: S) =>
  nullable(slug, 'a date and time as RFC 3339 writes them, with or without an offset,', dateTime);

export const instanceFields = {
  instance_id: field('instance-id', 'a UUID', z.guid()),
  name: text('name'),
  status: field('status', 'one of the nine states', z.enum(instanceStates)),
  region: text('region'),
  gpu_type: text('gpu-type'),
  size: text('size'),
  cpu_count: field('cpu-count', 'an integer', integer),
  resources: text('resources'),
  bandwidth: number('bandwidth'),
  storage_used_gb: number('storage-used-gb'),
  hourly_rate: number('hourly-rate'),
  current_cost: number('current-cost'),
  total_cost_incurred: number('total-cost-incurred'),
  total_runtime_hours: number('total-runtime-hours'),
  ttl_remaining_hours: number('ttl-remaining-hours'),
  started_at: moment('started-at'),
  terminated_at: moment('terminated-at'),
  termination_reason: nullable('termination-reason', 'text', z.string()),
  guest_ready: text('guest-ready'),
  guest_ready_reason: nullable('guest-ready-reason', 'text', z.string()),
} as const;

export type InstanceFieldName = keyof typeof instanceFields;
export const instanceFieldNames: readonly InstanceFieldName[] =
  Object.keys(instanceFields).filter(isInstanceField);

/** True for the name of a documented field. */
export function isInstanceField(name: string): name is InstanceFieldName {
  return Object.hasOwn(instanceFields, name);
}

/** The slug of any field. */
export type InstanceFieldSlug = (typeof instanceFields)[InstanceFieldName]['slug'];

/** The two descriptions of the record: in lists, and in answers to stop and terminate. */
export type InstanceVariant = 'list' | 'action';

/** Fields that time or the guest changes without any request; a check for an unchanged record ignores them. */
export const movingFields = [
  'storage_used_gb',
  'current_cost',
  'total_cost_incurred',
  'total_runtime_hours',
  'ttl_remaining_hours',
  'guest_ready',
  'guest_ready_reason',
] as const satisfies readonly InstanceFieldName[];

const places = {
  list: 'In list pages',
  action: 'In answers to stop and terminate',
} as const satisfies Record<InstanceVariant, string>;

/** The rows of the field table: a requirement for each field of each variant, `list-name` and so on. */
export const fieldRows = instanceFieldNames.map((name) => {
  const { slug, is } = instanceFields[name];
  const of = (variant: InstanceVariant) => `${places[variant]}, ${name} is ${is}.`;
  const entries = {
    [`list-${slug}`]: stated.universal(of('list'), []),
    [`action-${slug}`]: stopped.stated.universal(of('action')),
  };
  const row = clause(`instance/${name}`, `Instance, row ${name}`, entries);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are made of the slugs
  return row as Part<`${InstanceVariant}-${InstanceFieldSlug}`>;
});

/** The id of the requirement for one field of one variant. */
export function fieldRequirement<
  const V extends InstanceVariant,
  const S extends InstanceFieldSlug,
>(variant: V, slug: S): `compute.instance-record.${V}-${S}` {
  return `compute.instance-record.${variant}-${slug}`;
}

/** An instance in either variant. The contract does not say whether a nullable field may be absent, so this allows it. */
export const instanceSchema = z.looseObject(
  Object.fromEntries(
    Object.entries(instanceFields).map(([name, { schema, nullable: isOptional }]) => [
      name,
      isOptional ? schema.optional() : schema,
    ]),
  ),
);

/**
 * A count and a unit in either order, with any punctuation between: `8 GPUs`, `4x H100`, `8 (GPU)`, `½ node`,
 * `1 000 GB`, `H100 x8` (compute#variants/rule-3/headline).
 */
const headline =
  /^[^\p{L}\p{N}]*\p{N}+(?:[\s.,_/]\p{N}+)*[^\p{L}\p{N}]*\p{L}|[\p{L}\p{N}][^\p{L}\p{N}]*[x×*:(]\s*\p{N}+\)?\s*$/iu;

/** True for a size that is certainly a count with a unit. */
export function isHeadlineSize(size: string): boolean {
  return headline.test(size);
}

/** True for a size that may be a count with a unit, such as `A100 - 8 GPUs`, `1×` or `eight GPUs`. */
export function mayBeHeadline(size: string): boolean {
  return /\p{N}.*[\p{L}×]|\p{L}.*\p{N}|\p{L}\s+\p{L}/u.test(size);
}

/** The pagination object (compute#pagination). */
export const paginationSchema = z.looseObject({
  next: z.string().nullable(),
  size: integer,
});

/** A page of instances (compute#list-instances/response). */
export const instancePageSchema = z.looseObject({
  data: z.array(instanceSchema),
  pagination: paginationSchema,
});

/** The error envelope (compute#errors/envelope); other requirements judge which code goes with which status. */
export const errorEnvelopeSchema = z.looseObject({
  error: z.looseObject({
    code: z.string().min(1),
    message: z.string(),
    request_id: z.string().min(1),
  }),
});

/** `Retry-After` of a 429: whole seconds; ten digits are an instant, not a wait (compute#errors/429/retry-after). */
export const retryAfterSchema = z.string().regex(/^\d{1,9}$/u);

/** Query parameters of the instance list. */
export const instanceListParameters = [
  'cursor',
  'size',
  'status',
  'region',
  'gpu_type',
  'date_range_begin',
  'date_range_end',
  'free_text_search',
  'sort_field',
  'sort_direction',
] as const;

/** Query parameters of the preset list with a stated name; the names of two filters are open. */
export const presetListParameters = [
  'cursor',
  'size',
  'region',
  'sort_field',
  'sort_direction',
] as const;
