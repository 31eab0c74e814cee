/** How instances change state, on request and by themselves. */

import { type Deployment, moveOn, type RequestContext } from '../context.ts';
import type {
  Instance,
  InstanceState,
  StartOutcome,
  StopOutcome,
  TerminateOutcome,
} from '../model.ts';
import { changeBurn } from '../world.ts';

const HOUR_MS = 3_600_000;

/** A state that follows by itself. */
interface Step {
  readonly state: InstanceState;
  readonly delayMs: number;
}

/** The next step of an instance. Undefined for a state that lasts. */
export function successor(
  { state, ttlHours, stranded }: Instance,
  { timings }: Deployment,
): Step | undefined {
  const next: Partial<Record<InstanceState, Step>> = {
    CREATED: { state: 'DEPLOYED', delayMs: timings.created },
    DEPLOYED: { state: 'STARTING', delayMs: timings.deployed },
    STARTING: { state: 'RUNNING', delayMs: timings.starting },
    // The automatic stop.
    RUNNING: { state: 'STOPPING', delayMs: ttlHours * HOUR_MS },
    STOPPING: { state: 'STOPPED', delayMs: timings.stopping },
    TERMINATING: { state: 'TERMINATED', delayMs: timings.terminating },
  };
  return stranded && state === 'TERMINATING' ? undefined : next[state];
}

/** Moves an instance into a state, updates what depends on it, and schedules the next state. */
export function enter(instance: Instance, state: InstanceState, deployment: Deployment): void {
  const now = Date.now();
  const { world } = deployment;
  const account = world.account(instance.account);
  const rate = instance.preset.hourlyPrice;
  if (instance.state === 'RUNNING' && state !== 'RUNNING') {
    settleRun(instance, now, deployment);
    changeBurn(account, -rate, now);
  }
  if (instance.state !== 'RUNNING' && state === 'RUNNING') {
    instance.startedAt = now;
    changeBurn(account, rate, now);
  }
  if (state === 'TERMINATING') instance.terminationReason = 'Terminated on request.';
  if (state === 'TERMINATED' || state === deployment.choices.terminatedAtFrom) {
    instance.terminatedAt ??= now;
  }
  if (state === 'TERMINATED') instance.terminationReason ??= 'Terminated on request.';
  instance.state = state;
  instance.stateSince = now;
  moveOn(instance, deployment);
}

/** Adds the run that ends now to the totals of the instance. */
function settleRun(instance: Instance, now: number, deployment: Deployment): void {
  const step = Math.max(1, deployment.choices.meteringMs);
  const run = Math.max(0, now - (instance.startedAt ?? now));
  const metered = Math.floor(run / step) * step;
  instance.settledRunMs += metered;
  instance.settledCost += (metered / HOUR_MS) * instance.preset.hourlyPrice;
}

/** Whether the resource of an instance in teardown is already gone. */
export function isResourceGone(instance: Instance, context: RequestContext): boolean {
  return (
    instance.state === 'TERMINATING' &&
    !instance.stranded &&
    context.now - instance.stateSince >= context.deployment.timings.teardown
  );
}

/** What a stop does in each state. */
export function stopOutcome(instance: Instance, context: RequestContext): StopOutcome {
  const { state } = instance;
  if (state === 'RUNNING') return 'stop';
  if (state === 'STOPPED') return 'ignore';
  if (state === 'TERMINATING' || state === 'TERMINATED') return 'conflict';
  return context.choices.stopElsewhere[state];
}

/** What a terminate does in each state. */
export function terminateOutcome(instance: Instance, context: RequestContext): TerminateOutcome {
  if (instance.state === 'TERMINATED') return 'conflict';
  if (instance.state !== 'TERMINATING') return 'terminate';
  return context.rules.isResourceGone(instance, context) ? 'gone' : 'reissue';
}

/** What a start does in each state. A terminated instance never starts again. */
export function startOutcome(instance: Instance, context: RequestContext): StartOutcome {
  if (instance.state === 'STOPPED') return 'start';
  if (instance.state === 'TERMINATING' || instance.state === 'TERMINATED') return 'conflict';
  return context.choices.startElsewhere;
}

/** Starts the stop that goes on in the background. */
export function beginStop(instance: Instance, context: RequestContext): void {
  context.rules.enter(instance, 'STOPPING', context.deployment);
}

/** Starts the teardown. */
export function beginTerminate(instance: Instance, context: RequestContext): void {
  context.rules.enter(instance, 'TERMINATING', context.deployment);
}

/** Repeats the teardown. One that failed part-way moves on; one in progress continues unchanged. */
export function reissueTerminate(instance: Instance, context: RequestContext): void {
  instance.stranded = false;
  if (!context.deployment.timers.isScheduled(instance)) {
    context.rules.enter(instance, 'TERMINATING', context.deployment);
  }
}

/** Starts a stopped instance. */
export function beginStart(instance: Instance, context: RequestContext): void {
  context.rules.enter(instance, 'STARTING', context.deployment);
}
