/** What is on the wire, as schemas: exact where the contract speaks, open where it is silent. */

import { z } from 'zod';
import { instanceFields } from './instance-fields.ts';

const { started_at, terminated_at, termination_reason, guest_ready_reason, ...required } =
  instanceFields;

/**
 * An instance in either variant: both have the same fields and types and differ in what they mean.
 * Whether a nullable field may be absent is not said, so it may.
 */
export const instanceSchema = z.looseObject({
  instance_id: required.instance_id.schema,
  name: required.name.schema,
  status: required.status.schema,
  region: required.region.schema,
  gpu_type: required.gpu_type.schema,
  size: required.size.schema,
  cpu_count: required.cpu_count.schema,
  resources: required.resources.schema,
  bandwidth: required.bandwidth.schema,
  storage_used_gb: required.storage_used_gb.schema,
  hourly_rate: required.hourly_rate.schema,
  current_cost: required.current_cost.schema,
  total_cost_incurred: required.total_cost_incurred.schema,
  total_runtime_hours: required.total_runtime_hours.schema,
  ttl_remaining_hours: required.ttl_remaining_hours.schema,
  started_at: started_at.schema.optional(),
  terminated_at: terminated_at.schema.optional(),
  termination_reason: termination_reason.schema.optional(),
  guest_ready: required.guest_ready.schema,
  guest_ready_reason: guest_ready_reason.schema.optional(),
});

export type Instance = z.output<typeof instanceSchema>;

/**
 * Text that gives a count and a unit, in any order and with any signs between: `8 GPUs`, `4x H100`, `8 (GPU)`, `½ node`,
 * `1 000 GB`, `H100 x8` (compute#variants/rule-3/headline).
 */
const headline =
  /^[^\p{L}\p{N}]*\p{N}+(?:[\s.,_/]\p{N}+)*[^\p{L}\p{N}]*\p{L}|[\p{L}\p{N}][^\p{L}\p{N}]*[x×*:(]\s*\p{N}+\)?\s*$/iu;

/** True for what can be nothing but a count with a unit. */
export function isHeadlineSize(size: string): boolean {
  return headline.test(size);
}

/** True for what may be one, too: `A100 - 8 GPUs`, `1×`, or in words: `eight GPUs`. */
export function mayBeHeadline(size: string): boolean {
  return /\p{N}.*[\p{L}×]|\p{L}.*\p{N}|\p{L}\s+\p{L}/u.test(size);
}

/** The pagination object (compute#pagination). */
export const paginationSchema = z.looseObject({
  next: z.string().nullable(),
  size: z
    .number()
    .refine((value) => Number.isInteger(value), 'not an integer')
    .meta({ type: 'integer' }),
});

/** A page of instances (compute#list-instances/response). */
export const instancePageSchema = z.looseObject({
  data: z.array(instanceSchema),
  pagination: paginationSchema,
});

/** The error envelope; which code stands with which status is judged apart (compute#errors/envelope). */
export const errorEnvelopeSchema = z.looseObject({
  error: z.looseObject({
    code: z.string().min(1),
    message: z.string(),
    request_id: z.string().min(1),
  }),
});

/** The value of `Retry-After` on a 429: a whole number of seconds (compute#errors/429/retry-after). */
export const retryAfterSchema = z.string().regex(/^\d+$/u);
