/** An HTTP client for the tests of this folder. It reads responses as JSON. */

import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { InstanceState } from './model.ts';
import { type ComputeOptions, type ComputeReference, startCompute } from './start.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

/** Starts a deployment and closes it when the test ends. */
export async function deploy(options: ComputeOptions = {}): Promise<ComputeReference> {
  const errors: unknown[] = [];
  const reference = await startCompute({ onError: (error) => errors.push(error), ...options });
  onTestFinished(async () => {
    await reference.close();
    if (errors.length > 0) throw new AggregateError(errors, 'A rule threw what nobody foresaw.');
  });
  return reference;
}

export class Caller {
  readonly reference: ComputeReference;
  readonly #secret: string | undefined;

  constructor(reference: ComputeReference, role = 'primary') {
    this.reference = reference;
    this.#secret = reference.world.keys.find((key) => key.role === role)?.secret;
  }

  async send(method: string, path: string, body?: string): Promise<Answered> {
    const response = await fetch(`${this.reference.baseUrl}${path}`, {
      method,
      headers: {
        ...(this.#secret === undefined ? {} : { Authorization: `Bearer ${this.#secret}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.toLowerCase().includes('json') === true;
    const { status, headers } = response;
    return { status, headers, text, json: isJson ? object(JSON.parse(text)) : {} };
  }

  get(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const query = new URLSearchParams(parameters).toString();
    return this.send('GET', query === '' ? path : `${path}?${query}`);
  }

  post(path: string, body?: unknown): Promise<Answered> {
    return this.send('POST', path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** All items of a list, page by page. Every request repeats the filters. */
  async walk(
    path: string,
    parameters: Readonly<Record<string, string>> = {},
    items = 'data',
  ): Promise<readonly Json[]> {
    const all: Json[] = [];
    let next: unknown;
    do {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const { status, json, text } = await this.get(path, { ...parameters, ...cursor });
      if (status !== 200) throw new Error(`${path} answered ${status} ${text}`);
      all.push(...list(json[items]));
      next = object(json['pagination'])['next'];
    } while (next !== null);
    return all;
  }

  async state(id: string): Promise<unknown> {
    return (await this.get(`/instances/${id}`)).json['status'];
  }

  async until(id: string, wanted: InstanceState): Promise<void> {
    while ((await this.state(id)) !== wanted) await delay(5);
  }

  /** Creates an instance and returns its id. */
  async make(): Promise<string> {
    const { json } = await this.post('/_provision', { name: 'made for a test' });
    return String(json['id']);
  }

  /** Creates an instance, waits until it is RUNNING, and returns its id. */
  async makeRunning(): Promise<string> {
    const id = await this.make();
    await this.until(id, 'RUNNING');
    return id;
  }
}

/** An object, or a list as an object by index. @throws for any other value */
export function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error(`No object: ${String(value)}`);
  return Object.fromEntries(Object.entries(value));
}

/** A list of objects. @throws for any other value */
export function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`No list: ${String(value)}`);
  return value.map((item) => object(item));
}

/** The value of one member of each item. */
export function column(items: readonly Json[], member: string): readonly unknown[] {
  return items.map((item) => item[member]);
}

/** A string. @throws for any other value */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`No text: ${JSON.stringify(value)}`);
  return value;
}
