/** The operations of the compute contract, as calls that are recorded for one case. */

import type { HttpClient, OnExchange } from '../../exchange/client.ts';
import {
  escaped,
  type HeaderContent,
  type Outgoing,
  type QueryValue,
} from '../../exchange/outgoing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { NotExercised } from '../../runner/case.ts';
import { computeNeeds } from '../../../schemas/compute/needs.ts';

export type Query = Readonly<Record<string, QueryValue | undefined>> | string;

/** How a call differs from the plain one. */
export interface CallOptions {
  /** Name of the key; `primary` unless told, `null` for none. */
  readonly as?: string | null;
  readonly headers?: readonly (readonly [string, HeaderContent])[];
  readonly signal?: AbortSignal;
  readonly unbounded?: boolean;
  /** False: take the first answer, also a 429 or a 500. */
  readonly repeat?: boolean;
  readonly timeoutMs?: number;
}

/** A call with a body: `json` is encoded, `body` is sent as it is. */
export interface ActionOptions extends CallOptions {
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

export interface ActionBindings {
  readonly terminate?: string | undefined;
  readonly start?: string | undefined;
}

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
    return this.send({ method: 'GET', path: '/instances', query, as: 'primary', ...options });
  }

  /** `GET /instances/{id}`; the id is escaped. */
  async get(id: string, options: CallOptions = {}): Promise<Exchange> {
    return this.send({
      method: 'GET',
      path: `/instances/${escaped(id)}`,
      as: 'primary',
      ...options,
    });
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
    return this.send({ method: 'GET', path: '/regions', as: 'primary', ...options });
  }

  /** `GET /presets` */
  async presets(query: Query = {}, options: CallOptions = {}): Promise<Exchange> {
    return this.send({ method: 'GET', path: '/presets', query, as: 'primary', ...options });
  }

  /** Anything else, recorded like the rest. */
  async send(outgoing: Outgoing): Promise<Exchange> {
    return this.#httpClient.send(outgoing, this.#onExchange);
  }

  /** Bytes as they are, for what an HTTP client refuses to send. */
  async sendBytes(outgoing: Parameters<HttpClient['sendBytes']>[0]): Promise<Exchange> {
    return this.#httpClient.sendBytes(outgoing, this.#onExchange);
  }

  #bound(operation: 'terminate' | 'start'): string {
    const binding = this.#bindings[operation];
    if (binding !== undefined) return binding;
    const need = computeNeeds[`bindings.${operation}`];
    throw new NotExercised(`needs ${need.purpose}`, need.line);
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
