/** The JSON records of instances: fields, times and costs. */

import { callerOf, type RequestContext } from '../context.ts';
import type { Account, Instance, InstanceQuery, Preset } from '../model.ts';

type Body = Readonly<Record<string, unknown>>;

/** The fields that both records share. */
function shared(instance: Instance, at: number, context: RequestContext): Body {
  const { rules } = context;
  const { preset } = instance;
  return {
    instance_id: instance.id,
    name: instance.name,
    status: instance.state,
    gpu_type: preset.gpu,
    cpu_count: preset.cpu,
    resources: rules.resourceSummary(preset, context),
    bandwidth: instance.bandwidthMbps,
    hourly_rate: preset.hourlyPrice,
    total_cost_incurred: rules.totalCost(instance, at, context),
    total_runtime_hours: rules.runtimeHours(instance, at, context),
    started_at: dateOrNull(instance.startedAt, context),
    terminated_at: dateOrNull(instance.terminatedAt, context),
    termination_reason: instance.terminationReason ?? null,
    ...guestReadiness(instance, context),
    ...context.choices.instanceExtras,
  };
}

/** The record in lists: region, SKU, storage in use, cost of the current run, hours until the automatic stop. */
export function listRecord(
  instance: Instance,
  at: number,
  context: RequestContext,
  _query?: InstanceQuery,
): Body {
  const { rules } = context;
  return withoutNulls(
    {
      ...shared(instance, at, context),
      region: instance.preset.region ?? instance.preset.location,
      size: instance.preset.sku,
      storage_used_gb: instance.usedGb,
      current_cost: rules.currentRunCost(instance, at, context),
      ttl_remaining_hours: rules.hoursUntilStop(instance, at, context),
    },
    context,
  );
}

/** The record in responses to stop and terminate: location, headline size, disk, total cost, credit runway. */
export function actionRecord(instance: Instance, at: number, context: RequestContext): Body {
  const { rules } = context;
  return withoutNulls(
    {
      ...shared(instance, at, context),
      region: instance.preset.location,
      size: rules.headlineSize(instance.preset, context),
      storage_used_gb: instance.preset.storageGb,
      current_cost: rules.totalCost(instance, at, context),
      ttl_remaining_hours: creditRunwayHours(callerOf(context), at),
    },
    context,
  );
}

/** The body of a single instance. The contract leaves its shape open. */
export function singleRecord(instance: Instance, context: RequestContext): Body {
  const { getInstanceMember: member, getInstanceVariant: variant } = context.choices;
  const record =
    variant === 'list'
      ? context.rules.listRecord(instance, context.now, context)
      : context.rules.actionRecord(instance, context.now, context);
  return member === undefined ? record : { [member]: record };
}

/** The headline size: a count and a unit. */
export function headlineSize({ gpu, gpuCount, cpu }: Preset, context: RequestContext): string {
  return {
    gpus: `${gpuCount} GPU${gpuCount === 1 ? '' : 's'}`,
    'times-model': `${gpuCount}x ${gpu}`,
    vcpus: `${cpu} vCPU`,
    'in-parentheses': `${gpuCount} (${gpu})`,
    'model-first': `NVIDIA ${gpu} - ${gpuCount} GPUs`,
    count: `${gpuCount}×`,
  }[context.choices.headline];
}

/** A human-readable summary of the hardware. */
export function resourceSummary(
  { gpu, gpuCount, cpu, memoryGb, storageGb }: Preset,
  _context: RequestContext,
): string {
  return `${gpuCount} x ${gpu}, ${cpu} vCPU, ${memoryGb} GB memory, ${storageGb} GB storage`;
}

/** Whether the guest OS has booted, and why not. */
function guestReadiness(instance: Instance, context: RequestContext): Body {
  const { ready, notReady } = context.choices.guestReady;
  if (instance.state !== 'RUNNING') {
    return { guest_ready: notReady, guest_ready_reason: 'The instance is not running.' };
  }
  const booted = context.now - instance.stateSince >= context.deployment.timings.guestBoot;
  return booted
    ? { guest_ready: ready, guest_ready_reason: null }
    : { guest_ready: notReady, guest_ready_reason: 'The guest is booting.' };
}

function dateOrNull(instant: number | undefined, context: RequestContext): string | null {
  return instant === undefined ? null : context.rules.formatDate(instant, context);
}

function withoutNulls(record: Body, context: RequestContext): Body {
  if (context.choices.nulls === 'there') return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

const HOUR_MS = 3_600_000;
/** The runway while nothing runs: ten years. */
const LONGEST_RUNWAY_HOURS = 87_600;

/** Metered milliseconds of the current run. Only a running instance is billed for compute. */
export function currentRunMs(instance: Instance, at: number, context: RequestContext): number {
  if (instance.state !== 'RUNNING' || instance.startedAt === undefined) return 0;
  const step = Math.max(1, context.choices.meteringMs);
  return Math.floor(Math.max(0, at - instance.startedAt) / step) * step;
}

/** Cost of the current run. */
export function currentRunCost(instance: Instance, at: number, context: RequestContext): number {
  const hours = context.rules.currentRunMs(instance, at, context) / HOUR_MS;
  return rounded(hours * instance.preset.hourlyPrice, 4);
}

/** Cost over the whole life. */
export function totalCost(instance: Instance, at: number, context: RequestContext): number {
  const hours = context.rules.currentRunMs(instance, at, context) / HOUR_MS;
  return rounded(instance.settledCost + hours * instance.preset.hourlyPrice, 4);
}

/** Hours spent running over the whole life. */
export function runtimeHours(instance: Instance, at: number, context: RequestContext): number {
  const run = context.rules.currentRunMs(instance, at, context);
  return rounded((instance.settledRunMs + run) / HOUR_MS, 6);
}

/** Hours until the automatic stop of the current run, 0 if none. */
export function hoursUntilStop(instance: Instance, at: number, _context: RequestContext): number {
  if (instance.state !== 'RUNNING' || instance.startedAt === undefined) return 0;
  return rounded(Math.max(0, instance.ttlHours - (at - instance.startedAt) / HOUR_MS), 4);
}

/** Hours that the credits of an account last at the current rate, the same for all its instances. */
function creditRunwayHours(account: Account, at: number): number {
  if (account.burnPerHour <= 0) return LONGEST_RUNWAY_HOURS;
  const spent = (Math.max(0, at - account.accruedAt) / HOUR_MS) * account.burnPerHour;
  const hours = Math.max(0, account.credits - spent) / account.burnPerHour;
  return rounded(Math.min(LONGEST_RUNWAY_HOURS, hours), 2);
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
