/** What one model takes at once, and for how long a request waits for it. */

import type { RouterChoices } from '../choices.ts';
import type { Ending, Holding, RequestContext, Route } from '../context.ts';
import type { Limits, ModelEntry } from '../deployment.ts';

/** What limits a request beside its size: what it holds, and the quotas of its key. */
export type Limited = Holding | 'requests' | 'declaration' | 'input-rate' | 'output-rate';

export function admissionRules(choices: RouterChoices) {
  return {
    /** Whether the engines of a model can do what a route asks (codes/request_invalid). */
    capable(model: ModelEntry, route: Route, _context: RequestContext): boolean {
      return route.capability === undefined || model.capabilities.includes(route.capability);
    },

    /** Whether an input is within the caps of a policy (limits/input-caps). */
    withinCaps(
      model: ModelEntry,
      input: number,
      images: number,
      _context: RequestContext,
    ): boolean {
      return input <= (model.maxInputTokens ?? Infinity) && images <= (model.imagesMax ?? Infinity);
    },

    /** Whether a policy sheds at this pressure (limits/shed). */
    sheds(model: ModelEntry, pressure: number, _context: RequestContext): boolean {
      return model.shedIfPressure !== undefined && pressure >= model.shedIfPressure;
    },

    /** Tokens by which a request counts while it runs. */
    weigh(input: number, output: number | undefined, _context: RequestContext): number {
      return input + (output ?? choices.assumedOutputTokens);
    },

    /** Whether a serverless key may have so many tokens in flight. */
    withinShare(used: number, weight: number, share: number, _context: RequestContext): boolean {
      return used + weight <= share;
    },

    /** Whether a request over the share of its key waits: it is refused (rate-limit-rules/2). */
    waitsForShare(_context: RequestContext): boolean {
      return false;
    },

    /** What a request takes of an occupancy budget. */
    occupancy(weight: number, budget: number, _context: RequestContext): number {
      return choices.oversizeOccupancy === 'clamp' ? Math.min(weight, budget) : weight;
    },

    /** Whether a limit holds for a request: each does, whatever the route and whether it streams. */
    limited(_by: Limited, _context: RequestContext): boolean {
      return true;
    },

    /** How much there is of something that requests hold. */
    capacity(_holding: Holding, configured: number): number {
      return configured;
    },

    /** How many requests the pending channel holds (limits/queue). */
    channelSize(configured: number): number {
      return configured;
    },

    /** How long a request parks for a place, in milliseconds. */
    parkMs(limits: Limits, _context: RequestContext): number {
      return limits.parkTimeoutMs;
    },

    /** What ends the parking for a place beside its time: the deadline, and a client that left. */
    endOfParking(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /** How long a full pending channel is waited for, in milliseconds (codes/queue_full). */
    queueFullMs(limits: Limits, _context: RequestContext): number {
      return limits.queueFullMs;
    },

    /** Milliseconds from the arrival of a request to its deadline. */
    deadlineMs(limits: Limits, _context: RequestContext): number {
      return limits.requestTimeoutMs;
    },

    /** What ends the waiting for a processor: the deadline, and a client that left (limits/processor-concurrency). */
    endOfWaiting(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /**
     * What becomes of the deadline when a processor takes a request, when a try has failed, and when the head of an
     * answer in one piece has come: it runs on (limits/deadline, limits/processor-concurrency).
     */
    deadlineAt(
      _moment: 'processor' | 'failed-try' | 'head',
      _context: RequestContext,
    ): 'runs-on' | 'restarts' | 'stops' {
      return 'runs-on';
    },

    /** Gives back what a request held, however it ended. */
    release(_holding: Holding, _ending: Ending, free: () => void, _context: RequestContext): void {
      if (choices.givesBackAfterMs > 0) setTimeout(free, choices.givesBackAfterMs);
      else free();
    },
  };
}
