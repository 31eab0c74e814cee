/** Exchanges for the tests of checks, made by hand. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type ComputeKnowledge, computeUniversal } from './universal.ts';

export interface MadeExchange {
  readonly id?: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  /** Text as it is, anything else as JSON; undefined for no body. */
  readonly body?: unknown;
  readonly ending?: Exchange['ending'];
  readonly requestHeaders?: readonly (readonly [string, string])[];
}

let made = 0;

/** A successful, complete exchange with a JSON body, with `given` replaced. */
export function exchangeOf(given: MadeExchange = {}): Exchange {
  const { method = 'GET', path = '/instances', query = '', status = 200, body } = given;
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  made += 1;
  return {
    id: given.id ?? `e${made}`,
    contract: 'compute',
    target: 'made',
    request: {
      method,
      url: `http://127.0.0.1/v1${path}${query === '' ? '' : `?${query}`}`,
      path,
      query,
      headers: given.requestHeaders ?? [],
      body: new Uint8Array(),
      credential: 'primary',
    },
    response: {
      status,
      headers: given.headers ?? [['Content-Type', 'application/json; charset=utf-8']],
      body: new TextEncoder().encode(text),
      chunks: [],
    },
    ending: given.ending ?? 'complete',
    cause: undefined,
    startedAt: 0,
    headMs: 1,
    durationMs: 1,
    retries: 0,
  };
}

/** An instance as a list shows it. */
export function listRecord(
  change: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    instance_id: '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11',
    name: 'trainer',
    status: 'RUNNING',
    region: 'FR',
    gpu_type: 'H100',
    size: 'h100-sxm-2',
    cpu_count: 32,
    resources: '2x H100, 32 vCPU',
    bandwidth: 1000,
    storage_used_gb: 12.5,
    hourly_rate: 4.2,
    current_cost: 8.4,
    total_cost_incurred: 84,
    total_runtime_hours: 20,
    ttl_remaining_hours: 71.5,
    started_at: '2026-11-20T10:00:00Z',
    terminated_at: null,
    termination_reason: null,
    guest_ready: 'ready',
    guest_ready_reason: null,
    ...change,
  };
}

/** An instance as the response to a stop shows it. */
export function actionRecord(
  change: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return listRecord({
    status: 'STOPPED',
    region: 'par-2',
    size: '2 GPUs',
    storage_used_gb: 500,
    current_cost: 84,
    ...change,
  });
}

/** The response to a stop, whose record has these changes. */
export function stopAnswer(change: Readonly<Record<string, unknown>> = {}, status = 202): Exchange {
  return exchangeOf({
    method: 'POST',
    path: '/instances/i/stop',
    status,
    body: actionRecord(change),
  });
}

export interface Verdicts {
  /** Requirements with at least one observation. */
  readonly seen: readonly string[];
  /** Requirements with a violation. */
  readonly broken: readonly string[];
}

/** The result of the universal check for one exchange: sorted ids without `compute.`. */
export function verdictsOf(exchange: Exchange, knowledge: ComputeKnowledge = {}): Verdicts {
  const all = [...computeUniversal(exchange, knowledge)];
  const slug = (id: string) => id.replace(/^compute\./u, '');
  return {
    seen: all
      .filter(({ judgement }) => judgement.seen > 0)
      .map(({ requirement }) => slug(requirement))
      .toSorted(),
    broken: all
      .filter(({ judgement }) => judgement.violations.length > 0)
      .map(({ requirement }) => slug(requirement))
      .toSorted(),
  };
}
