/** The fields of an instance, one by one: what each must be, in words and as a wire schema. */

import { z } from 'zod';
import type { ComputeClause } from './clauses.ts';
import { instanceStates } from './states.ts';
import { dateTime } from './date-time.ts';

interface InstanceField {
  /** The end of the requirement ids of this field. */
  readonly slug: string;
  readonly clause: ComputeClause;
  /** What the value must be, as the end of "X is …". */
  readonly is: string;
  readonly schema: z.ZodType;
  /** Nullable fields may be null; whether they may be absent as well is not said. */
  readonly nullable: boolean;
}

const text = z.string();
const number = z.number();
/** 4.0 and 4 are the same JSON number; the contract sets no upper end. */
const integer = z
  .number()
  .refine((value) => Number.isInteger(value), 'not an integer')
  .meta({ type: 'integer' });

export const instanceFields = {
  instance_id: {
    slug: 'instance-id',
    clause: 'compute#instance/instance_id',
    is: 'a UUID',
    schema: z.guid(),
    nullable: false,
  },
  name: {
    slug: 'name',
    clause: 'compute#instance/name',
    is: 'text',
    schema: text,
    nullable: false,
  },
  status: {
    slug: 'status',
    clause: 'compute#instance/status',
    is: 'one of the nine states',
    schema: z.enum(instanceStates),
    nullable: false,
  },
  region: {
    slug: 'region',
    clause: 'compute#instance/region',
    is: 'text',
    schema: text,
    nullable: false,
  },
  gpu_type: {
    slug: 'gpu-type',
    clause: 'compute#instance/gpu_type',
    is: 'text',
    schema: text,
    nullable: false,
  },
  size: {
    slug: 'size',
    clause: 'compute#instance/size',
    is: 'text',
    schema: text,
    nullable: false,
  },
  cpu_count: {
    slug: 'cpu-count',
    clause: 'compute#instance/cpu_count',
    is: 'an integer',
    schema: integer,
    nullable: false,
  },
  resources: {
    slug: 'resources',
    clause: 'compute#instance/resources',
    is: 'text',
    schema: text,
    nullable: false,
  },
  bandwidth: {
    slug: 'bandwidth',
    clause: 'compute#instance/bandwidth',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  storage_used_gb: {
    slug: 'storage-used-gb',
    clause: 'compute#instance/storage_used_gb',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  hourly_rate: {
    slug: 'hourly-rate',
    clause: 'compute#instance/hourly_rate',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  current_cost: {
    slug: 'current-cost',
    clause: 'compute#instance/current_cost',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  total_cost_incurred: {
    slug: 'total-cost-incurred',
    clause: 'compute#instance/total_cost_incurred',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  total_runtime_hours: {
    slug: 'total-runtime-hours',
    clause: 'compute#instance/total_runtime_hours',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  ttl_remaining_hours: {
    slug: 'ttl-remaining-hours',
    clause: 'compute#instance/ttl_remaining_hours',
    is: 'a number',
    schema: number,
    nullable: false,
  },
  started_at: {
    slug: 'started-at',
    clause: 'compute#instance/started_at',
    is: 'a date and time as RFC 3339 writes them, or null',
    schema: dateTime.nullable(),
    nullable: true,
  },
  terminated_at: {
    slug: 'terminated-at',
    clause: 'compute#instance/terminated_at',
    is: 'a date and time as RFC 3339 writes them, or null',
    schema: dateTime.nullable(),
    nullable: true,
  },
  termination_reason: {
    slug: 'termination-reason',
    clause: 'compute#instance/termination_reason',
    is: 'text or null',
    schema: text.nullable(),
    nullable: true,
  },
  guest_ready: {
    slug: 'guest-ready',
    clause: 'compute#instance/guest_ready',
    is: 'text',
    schema: text,
    nullable: false,
  },
  guest_ready_reason: {
    slug: 'guest-ready-reason',
    clause: 'compute#instance/guest_ready_reason',
    is: 'text or null',
    schema: text.nullable(),
    nullable: true,
  },
} as const satisfies Readonly<Record<string, InstanceField>>;

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

/** Fields that time or the guest moves while nobody acts: left out when a record must be unchanged. */
export const movingFields = [
  'storage_used_gb',
  'current_cost',
  'total_cost_incurred',
  'total_runtime_hours',
  'ttl_remaining_hours',
  'guest_ready',
  'guest_ready_reason',
] as const satisfies readonly InstanceFieldName[];
