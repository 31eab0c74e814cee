/** How an engine's response is read, and what is tried after a failure. */

import type { IncomingHttpHeaders } from 'node:http';
import type { RouterChoices } from '../choices.ts';
import {
  DeadlinePassed,
  type Dispatch,
  errorObject,
  jsonIn,
  memberOf,
  type RequestContext,
  RouterFailure,
  type Stage,
  type StepEntry,
} from '../model.ts';

/** Maximum length of a message from a raw body, in bytes. */
const RAW_MESSAGE_BYTES = 512;

const codeOfType: Readonly<Record<string, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  invalid_request_error: 'invalid_parameter',
  invalid_parameter: 'invalid_parameter',
};

export function backendRules(choices: RouterChoices) {
  return {
    isSuccess(status: number, _context: RequestContext): boolean {
      return status >= 200 && status < 300;
    },

    /** The JSON of an engine's error, whatever its Content-Type. Undefined if the body is not JSON. */
    errorJson(body: Uint8Array, _headers: IncomingHttpHeaders, _context: RequestContext): unknown {
      return jsonIn(body);
    },

    /** The first recognized type, at the top level or under `error`. */
    knownType(json: unknown, _context: RequestContext): string | undefined {
      const named = [memberOf(json, 'type'), memberOf(errorObject(json), 'type')];
      return named
        .filter((type) => typeof type === 'string')
        .find((type) => Object.hasOwn(codeOfType, type));
    },

    /** Whether a text mentions context and one of length, window and token, in any case and order. */
    speaksOfContext(text: string, _context: RequestContext): boolean {
      return /context/i.test(text) && /length|window|token/i.test(text);
    },

    /** The code of an engine's error: by a recognized type, otherwise by status and wording. */
    codeOf(
      type: string | undefined,
      status: number,
      speaksOfContext: boolean,
      _context: RequestContext,
    ): string {
      const byType = type === undefined ? undefined : codeOfType[type];
      if (byType !== undefined) return byType;
      if (status === 400 || status === 422)
        return speaksOfContext ? 'context_length_exceeded' : 'invalid_parameter';
      return status === 429 || status === 503 ? 'backend_unavailable' : 'backend_error';
    },

    /** The message in an engine's JSON, if any. */
    messageIn(json: unknown, _context: RequestContext): string | undefined {
      const error = memberOf(json, 'error');
      const named = [memberOf(error, 'message'), memberOf(json, 'message'), error];
      return named.filter((message) => typeof message === 'string').find((text) => text !== '');
    },

    /** At most 512 bytes of a raw body as text, without a partial character at the end. */
    truncate(bytes: Uint8Array, _context: RequestContext): string {
      const decoder = new TextDecoder('utf-8');
      const text = decoder.decode(bytes.subarray(0, RAW_MESSAGE_BYTES), { stream: true });
      return withinBytes(text, RAW_MESSAGE_BYTES);
    },

    /** Code and source of a body that already has the router's envelope (transparent-proxy). */
    envelopeIn(
      json: unknown,
      _context: RequestContext,
    ): { code: string; source: 'router' | 'backend' } | undefined {
      const error = errorObject(json);
      const code = memberOf(error, 'code');
      const source = memberOf(error, 'source');
      if (typeof code !== 'string' || typeof memberOf(error, 'message') !== 'string')
        return undefined;
      return source === 'router' || source === 'backend' ? { code, source } : undefined;
    },

    /** The code of any other error body on a proxy route. */
    wrapCode(_status: number, _text: string, _context: RequestContext): string {
      return 'backend_error';
    },

    /** The code for an engine whose connection was refused or lost. */
    lostCode(refused: boolean, _context: RequestContext): string {
      return refused ? 'backend_unavailable' : choices.engineLost;
    },
  };
}

/** The longest prefix of a text within so many bytes. Invalid bytes grow when they are decoded. */
function withinBytes(text: string, limit: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept += character;
  }
  return kept;
}

const STOPPING: ReadonlySet<string> = new Set([
  'request_invalid',
  'context_length_exceeded',
  'invalid_parameter',
  'token_limit_exceeded',
]);

/** What a session has met on its way through the chain. */
export interface Journey {
  /** Failures of agents and engines, in order. */
  readonly failures: readonly RouterFailure[];
  /** True if all eligible agents of a step were full. */
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

    /** Free redials per agent and request after a lost connection (retry-behaviour/2). */
    redials(_context: RequestContext): number {
      return 1;
    },

    /** Milliseconds for which all sessions avoid an agent that failed. The contract leaves health checks open. */
    restMs(_agent: string): number {
      return choices.agentsRestMs;
    },

    /** Whether a session without an eligible agent waits for one. */
    waitsForAgents(): boolean {
      return choices.waitsForAgents;
    },

    /** Milliseconds after which an agent gives up on a silent engine, so that the router can try another agent. */
    patienceMs(): number {
      return choices.agentPatienceMs;
    },

    /** What aborts the work of an engine. The deadline need not (retry-behaviour/8). */
    endOfEngineWork(signal: AbortSignal): AbortSignal {
      return choices.deadlineAbortsEngines ? signal : unlessDeadline(signal);
    },

    /** What ends the wait for the body of an engine's error: the deadline and the client, as for any answer. */
    endOfErrorBody(signal: AbortSignal): AbortSignal {
      return signal;
    },

    /** How many pieces of the body of an engine's error are read, as they arrive. */
    errorPieces(_context: RequestContext): number {
      return Infinity;
    },

    /** The request to an agent or a provider, just before it is sent. */
    forward(dispatch: Dispatch, _context: RequestContext): Dispatch {
      return dispatch;
    },

    /** Whether a step may try another agent (retry-behaviour/3). */
    mayTry(step: StepEntry, tries: number, _context: RequestContext): boolean {
      return tries < step.maxTries;
    },

    /** Whether a failed agent is excluded for the rest of its step. */
    avoids(failed: ReadonlySet<string>, agent: string, _context: RequestContext): boolean {
      return failed.has(agent);
    },

    /** Whether the chain continues after a step. */
    advances(_stepIndex: number, _journey: Journey, _context: RequestContext): boolean {
      return true;
    },

    /** Whether a request may wait for a slot of a model. False if the queue is full (retry-behaviour/6). */
    mayWait(waiting: number, queueSize: number, _context: RequestContext): boolean {
      return waiting < queueSize;
    },

    /** How a session ends if every try failed (retry-behaviour/4). */
    finalFailure(journey: Journey, _context: RequestContext): RouterFailure {
      if (journey.full) return new RouterFailure('no_capacity', 'every slot is taken');
      const last = journey.failures.at(-1);
      return last === undefined || choices.finalCode === 'exhausted'
        ? new RouterFailure('no_agents_available', 'no agent could serve the request')
        : last;
    },

    /** Whether the provider is called if no step of the chain served the request. */
    asksProvider(_journey: Journey, _context: RequestContext): boolean {
      return true;
    },

    /** How often the provider is called for one request (retry-behaviour/5). */
    providerTries(_context: RequestContext): number {
      return 1;
    },

    /** The failure of a provider as the client sees it (retry-behaviour/5). */
    providerFailure(text: string, _context: RequestContext): RouterFailure {
      return new RouterFailure('backend_error', `the provider failed: ${text}`, {
        source: 'backend',
      });
    },

    /** A passed deadline as the client sees it (retry-behaviour/7). */
    timeout(stage: Stage, _context: RequestContext): RouterFailure {
      return new RouterFailure('request_timeout', STAGE_TEXT[stage]);
    },
  };
}

/** Aborted when another signal is, except by a deadline. */
function unlessDeadline(signal: AbortSignal): AbortSignal {
  const end = new AbortController();
  signal.addEventListener('abort', () => {
    if (!(signal.reason instanceof DeadlinePassed)) end.abort(signal.reason);
  });
  return end.signal;
}
