/** What happens after a failure: stop, try again, move on, and with which code it ends. */

import type { RouterChoices } from '../choices.ts';
import type { RequestContext, Stage } from '../context.ts';
import type { StepEntry } from '../deployment.ts';
import { DeadlinePassed, RouterFailure } from '../failure.ts';
import type { Dispatch } from '../dispatch.ts';

const STOPPING: ReadonlySet<string> = new Set([
  'request_invalid',
  'context_length_exceeded',
  'invalid_parameter',
  'token_limit_exceeded',
]);

/** What a session met on its way through the chain. */
export interface Journey {
  /** Failures of agents and engines, in order. */
  readonly failures: readonly RouterFailure[];
  /** Eligible agents were there, all of them full. */
  readonly full: boolean;
}

const STAGE_TEXT: Readonly<Record<Stage, string>> = {
  receiving: 'the deadline passed',
  admission: 'the deadline passed',
  queue: 'the deadline passed in the queue',
  'agent-wait': 'the deadline passed while waiting for an agent',
  agent: 'the deadline passed while an agent was contacted',
  provider: 'the deadline passed before the provider fallback',
};

export function retryRules(choices: RouterChoices) {
  return {
    /** Whether a code ends the session at once (retry-behaviour/1). */
    stops(code: string, _context: RequestContext): boolean {
      return STOPPING.has(code);
    },

    /** Free redials that an agent gets per request when its connection is lost (retry-behaviour/2). */
    redials(_context: RequestContext): number {
      return 1;
    },

    /** Milliseconds for which every session leaves out an agent that failed: how health is judged is open. */
    restMs(_agent: string): number {
      return choices.agentsRestMs;
    },

    /** Whether a session waits for an eligible agent where there is none. */
    waitsForAgents(): boolean {
      return choices.waitsForAgents;
    },

    /** Milliseconds after which an agent gives a silent engine up, in a way that lets others try. */
    patienceMs(): number {
      return choices.agentPatienceMs;
    },

    /** What ends the work of an engine: a deadline need not (retry-behaviour/8). */
    endOfEngineWork(signal: AbortSignal): AbortSignal {
      return choices.deadlineAbortsEngines ? signal : unlessDeadline(signal);
    },

    /** What is sent to an agent or a provider, just before it goes. */
    forward(dispatch: Dispatch, _context: RequestContext): Dispatch {
      return dispatch;
    },

    /** Whether a step may try another agent (retry-behaviour/3). */
    mayTry(step: StepEntry, tries: number, _context: RequestContext): boolean {
      return tries < step.maxTries;
    },

    /** Whether a failed agent is left out for the rest of its step. */
    avoids(failed: ReadonlySet<string>, agent: string, _context: RequestContext): boolean {
      return failed.has(agent);
    },

    /** Whether the chain goes on after a step. */
    advances(_stepIndex: number, _journey: Journey, _context: RequestContext): boolean {
      return true;
    },

    /** Whether a request may wait for a slot of a model, or its queue is full (retry-behaviour/6). */
    mayWait(waiting: number, queueSize: number, _context: RequestContext): boolean {
      return waiting < queueSize;
    },

    /** How the session ends when nobody served (retry-behaviour/4). */
    finalFailure(journey: Journey, _context: RequestContext): RouterFailure {
      if (journey.full) return new RouterFailure('no_capacity', 'every slot is taken');
      const last = journey.failures.at(-1);
      return last === undefined || choices.finalCode === 'exhausted'
        ? new RouterFailure('no_agents_available', 'no agent could serve the request')
        : last;
    },

    /** Whether the provider is asked when the chain has ended without an answer. */
    asksProvider(_journey: Journey, _context: RequestContext): boolean {
      return true;
    },

    /** How often a provider is asked for one request (retry-behaviour/5). */
    providerTries(_context: RequestContext): number {
      return 1;
    },

    /** How a failed provider shows (retry-behaviour/5). */
    providerFailure(text: string, _context: RequestContext): RouterFailure {
      return new RouterFailure('backend_error', `the provider failed: ${text}`, {
        source: 'backend',
      });
    },

    /** How a passed deadline shows (retry-behaviour/7). */
    timeout(stage: Stage, _context: RequestContext): RouterFailure {
      return new RouterFailure('request_timeout', STAGE_TEXT[stage]);
    },
  };
}

/** Aborted as another signal is, but not for a deadline. */
function unlessDeadline(signal: AbortSignal): AbortSignal {
  const end = new AbortController();
  signal.addEventListener('abort', () => {
    if (!(signal.reason instanceof DeadlinePassed)) end.abort(signal.reason);
  });
  return end.signal;
}
