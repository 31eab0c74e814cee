/** The operations of the compute contract as calls, the policy for repeating them, and the context of compute cases. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { ComputeBindings, ComputeTarget } from '../../../schemas/compute/target.ts';
import { operationOf } from '../../checks/compute/operation.ts';
import type { HttpClient, OnExchange } from '../../exchange/client.ts';
import { type RepeatPolicy, transportWaits } from '../../exchange/repeating.ts';
import {
  escaped,
  type HeaderContent,
  type Outgoing,
  type QueryValue,
} from '../../exchange/outgoing.ts';
import { type Exchange, headerValue, transportProblem } from '../../exchange/exchange.ts';
import { NotExercised, type TestContext } from '../../runner/case.ts';
import type { Secret } from '../../target/keys.ts';
import { type ComputeNeed, computeNeeds } from '../../../schemas/compute/needs.ts';

export type Query = Readonly<Record<string, QueryValue | undefined>> | string;

/** The reason not to exercise what lacks a need, with the line to add to the target file. */
export function lackOf(need: ComputeNeed): NotExercised {
  const { purpose, line } = computeNeeds[need];
  return new NotExercised(`needs ${purpose}`, line);
}

/** How a call differs from the default one. */
export interface CallOptions {
  /** Name of the key (default `primary`); `null` sends none. */
  readonly as?: string | null;
  readonly headers?: readonly (readonly [string, HeaderContent])[];
  readonly signal?: AbortSignal;
  readonly unbounded?: boolean;
  /** False takes the first response, even a 429 or a 500. */
  readonly repeat?: boolean;
  readonly timeoutMs?: number;
}

/** A call with a body: `json` is encoded, `body` is sent unchanged. */
export interface ActionOptions extends CallOptions {
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

export interface ActionBindings {
  readonly terminate?: string | undefined;
  readonly start?: string | undefined;
}

/** Characters of a parameter that decide in which order its query is sent: cursors may be long. */
const TELLING = 40;

/**
 * A query in some order of its parameters, which means nothing to a service: half of all queries come from their last
 * parameter to the first. Equal queries come alike, since a cache may tell them apart.
 */
function inSomeOrder(query: Query): Query {
  if (typeof query === 'string') return query;
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = parameters.map(([name, value]) => `${name}=${String(value).slice(0, TELLING)}`);
  const sum = Buffer.from(text.join('')).reduce((all, byte) => all + byte, 0);
  return sum % 2 === 0 ? query : Object.fromEntries(parameters.toReversed());
}

/** The instances to which the requests of a client sent a stop. */
const stopsOf = new WeakMap<HttpClient, Set<string>>();
const STOP_PATH = /^\/instances\/([^/]+)\/stop$/u;

export class ComputeApi {
  readonly #httpClient: HttpClient;
  readonly #onExchange: OnExchange;
  readonly #bindings: ActionBindings;

  constructor(httpClient: HttpClient, onExchange: OnExchange, bindings: ActionBindings) {
    this.#httpClient = httpClient;
    this.#onExchange = onExchange;
    this.#bindings = bindings;
  }

  /** `GET /instances` */
  async list(query: Query = {}, options: CallOptions = {}): Promise<Exchange> {
    return this.#read('/instances', options, query);
  }

  /** `GET /instances/{id}`; the id is escaped. */
  async get(id: string, options: CallOptions = {}): Promise<Exchange> {
    return this.#read(`/instances/${escaped(id)}`, options);
  }

  /** `POST /instances/{id}/stop` */
  async stop(id: string, options: ActionOptions = {}): Promise<Exchange> {
    return this.#act('POST /instances/{id}/stop', id, options);
  }

  /** The bound terminate operation. Throws `NotExercised` without the binding. */
  async terminate(id: string, options: ActionOptions = {}): Promise<Exchange> {
    return this.#act(this.#bound('terminate'), id, options);
  }

  /** The bound start operation. Throws `NotExercised` without the binding. */
  async start(id: string, options: ActionOptions = {}): Promise<Exchange> {
    return this.#act(this.#bound('start'), id, options);
  }

  /** `GET /regions` */
  async regions(options: CallOptions = {}): Promise<Exchange> {
    return this.#read('/regions', options);
  }

  /** `GET /presets` */
  async presets(query: Query = {}, options: CallOptions = {}): Promise<Exchange> {
    return this.#read('/presets', options, query);
  }

  /** Any other request, recorded like the rest. */
  async send(outgoing: Outgoing): Promise<Exchange> {
    const [, stopped] = STOP_PATH.exec(outgoing.path) ?? [];
    if (stopped !== undefined) this.#stops.add(stopped.toLowerCase());
    return this.#httpClient.send(outgoing, this.#onExchange);
  }

  /** Whether any case sent a stop to the instance. */
  mayHaveStopped(id: string): boolean {
    return this.#stops.has(id.toLowerCase());
  }

  get #stops(): Set<string> {
    const known = stopsOf.get(this.#httpClient) ?? new Set();
    stopsOf.set(this.#httpClient, known);
    return known;
  }

  async #read(path: string, options: CallOptions, query?: Query): Promise<Exchange> {
    const ordered = query && { query: inSomeOrder(query) };
    return this.send({ method: 'GET', path, ...ordered, as: 'primary', ...options });
  }

  #bound(operation: 'terminate' | 'start'): string {
    const binding = this.#bindings[operation];
    if (binding !== undefined) return binding;
    throw lackOf(`bindings.${operation}`);
  }

  async #act(binding: string, id: string, options: ActionOptions): Promise<Exchange> {
    const [method = 'POST', path = ''] = binding.trim().split(/\s+/u);
    return this.send({
      method: method.toUpperCase(),
      path: path.replace('{id}', escaped(id)),
      as: 'primary',
      ...options,
    });
  }
}

/** An instance as one response showed it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly record: Readonly<Record<string, unknown>>;
  /** The `status` member; `''` when it is no text. */
  readonly status: string;
}

/** What every case of a compute section gets. */
export interface ComputeContext extends TestContext<ComputeRequirementId> {
  readonly api: ComputeApi;
  readonly target: ComputeTarget;
  readonly bindings: ComputeBindings;
  /** Identifies the session, for what is done once in it. */
  readonly session: object;
  /** The secret of a key of the target file, for credentials in another form; undefined without that key. */
  secret(name: string): Secret | undefined;
  /** A new id that exists nowhere. */
  unknownInstanceId(): string;
  /** A disposable instance in any state, for this case. */
  disposable(): Promise<string>;
  /** A context whose disposable instances outlive this case, so that other cases can use them. */
  lasting(): ComputeContext;
  /** A stopped instance, from the target file or a disposable one; `index` selects one of two. */
  stopped(index?: 0 | 1): Promise<string>;
  /** The first look at that stopped instance, before this run sent it a stop; undefined when it was not visible. */
  stoppedAtFirst(): Promise<Observation | undefined>;
  /** A terminated instance, from the target file or a disposable one. */
  terminated(): Promise<string>;
  /** A disposable instance by name: every case that uses the name gets the same one. */
  shared(name: string): Promise<string>;
  /** Looks at one instance, through its record or the list; `soon` waits for no other request, for states that pass. */
  observe(id: string, as?: string, soon?: boolean): Promise<Observation | undefined>;
  /** Looks at one instance through the list. */
  observeInList(id: string, as?: string): Promise<Observation | undefined>;
}

/** The longest wait that a response may ask for, in seconds. */
const LONGEST_WAIT_S = 60;

const passing = new Set([500, 502, 503, 504]);

/**
 * Only reads are repeated after transport trouble, since a change may have happened although its response was lost. A
 * 500 is a response: any call may meet a failure of the service that passes, and clients retry it
 * (compute#errors/500). So an operation of the contract is repeated after one 500, and a second one counts. A
 * provisioning request is not repeated, since it may have made an instance and would make another.
 */
export function computeRepeat(bindings: ComputeBindings): RepeatPolicy {
  return (exchange, attempt) => repeatOf(exchange, attempt, bindings);
}

function repeatOf(
  exchange: Exchange,
  attempt: number,
  bindings: ComputeBindings,
): ReturnType<RepeatPolicy> {
  if (exchange.ending === 'aborted') return undefined;
  const status = exchange.response?.status;
  if (exchange.ending === 'complete' && status === 429) return afterRateLimit(exchange, attempt);
  const troubled = exchange.ending !== 'complete';
  const unwell = status !== undefined && passing.has(status);
  if (!troubled && !unwell) return undefined;
  const soonMs = transportWaits.connection.pausesMs[attempt];
  if (exchange.request.method === 'GET' && soonMs !== undefined) return { afterMs: soonMs };
  if (troubled) return { giveUp: transportProblem(exchange) };
  const mayPass = status === 500 && operationOf(exchange, bindings) !== undefined;
  const afterMs = transportWaits.serverError.pausesMs[attempt];
  return mayPass && afterMs !== undefined ? { afterMs } : undefined;
}

function afterRateLimit(exchange: Exchange, attempt: number): ReturnType<RepeatPolicy> {
  const value = headerValue(exchange.response?.headers ?? [], 'retry-after') ?? '';
  // A value that is no number of seconds is judged elsewhere; here it means a short wait.
  const seconds = /^\d+$/u.test(value) ? Number(value) : 1;
  if (seconds > LONGEST_WAIT_S) {
    return { giveUp: `the target asked to wait ${seconds} s before the next request` };
  }
  if (attempt >= transportWaits.rateLimit.pausesMs.length) {
    return { giveUp: `the target still answered 429 after ${attempt + 1} attempts` };
  }
  // Jitter spreads requests that wait at the same time, so that they do not meet the limit together again.
  return { afterMs: seconds * 1_000 + Math.random() * 250 * (attempt + 1) };
}
