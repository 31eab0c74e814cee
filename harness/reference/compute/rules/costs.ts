/** Time and money: what a run has cost, and how long the credits last. Hours and credits are rounded for reading. */

import type { RequestContext } from '../context.ts';
import type { Account, Instance } from '../model.ts';

const HOUR_MS = 3_600_000;
/** What the runway is when nothing runs: ten years. */
const LONGEST_RUNWAY_HOURS = 87_600;

/** Only a running instance is billed for compute, and only while it runs. */
export function isBilled(instance: Instance): boolean {
  return instance.state === 'RUNNING';
}

/** Milliseconds of the current run as the meter has read them at a moment; 0 when nothing runs. */
export function currentRunMs(instance: Instance, at: number, context: RequestContext): number {
  if (!context.rules.isBilled(instance, context) || instance.startedAt === undefined) return 0;
  const step = Math.max(1, context.choices.meteringMs);
  return Math.floor(Math.max(0, at - instance.startedAt) / step) * step;
}

/** Cost of the current run. */
export function currentRunCost(instance: Instance, at: number, context: RequestContext): number {
  const hours = context.rules.currentRunMs(instance, at, context) / HOUR_MS;
  return rounded(hours * instance.preset.hourlyPrice, 4);
}

/** Cost of the whole life. */
export function totalCost(instance: Instance, at: number, context: RequestContext): number {
  const hours = context.rules.currentRunMs(instance, at, context) / HOUR_MS;
  return rounded(instance.settledCost + hours * instance.preset.hourlyPrice, 4);
}

/** Hours spent running over the whole life. */
export function runtimeHours(instance: Instance, at: number, context: RequestContext): number {
  const run = context.rules.currentRunMs(instance, at, context);
  return rounded((instance.settledRunMs + run) / HOUR_MS, 6);
}

/** Hours until a run is stopped automatically; 0 when nothing runs. */
export function hoursUntilStop(instance: Instance, at: number): number {
  if (instance.state !== 'RUNNING' || instance.startedAt === undefined) return 0;
  return rounded(Math.max(0, instance.ttlHours - (at - instance.startedAt) / HOUR_MS), 4);
}

/** Hours for which the credits of an account last as it spends now: one figure for all its instances. */
export function creditRunwayHours(account: Account, at: number): number {
  if (account.burnPerHour <= 0) return LONGEST_RUNWAY_HOURS;
  const spent = (Math.max(0, at - account.accruedAt) / HOUR_MS) * account.burnPerHour;
  const hours = Math.max(0, account.credits - spent) / account.burnPerHour;
  return rounded(Math.min(LONGEST_RUNWAY_HOURS, hours), 2);
}

/** Settles what an account has spent so far, then changes what it spends per hour. */
export function changeBurn(account: Account, perHour: number, at: number): void {
  const elapsed = Math.max(0, at - account.accruedAt) / HOUR_MS;
  account.credits = Math.max(0, account.credits - elapsed * account.burnPerHour);
  account.accruedAt = at;
  // Adding and taking away leaves a trace of binary fractions: nothing running must burn nothing.
  account.burnPerHour = Math.max(0, rounded(account.burnPerHour + perHour, 6));
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
