/** The verbs of the control port: what each question gets, however it came. */

import type { BackendControl } from './control.ts';
import { WaitTimedOut } from './control.ts';
import {
  errorNames,
  longestPollMs,
  pressureQuestion,
  releaseQuestion,
  scriptQuestion,
  waitQuestion,
  writeHit,
} from './control-wire.ts';
import { parsePressure } from './pressure.ts';
import type { ScriptRegistry } from './script-registry.ts';

/** A question that is refused, with the status that says so. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What is asked, as in an HTTP request. */
export interface ControlQuestion {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The body, read as JSON; undefined without one. */
  readonly body: unknown;
}

/** Status and JSON value. */
export type ControlAnswer = readonly [status: number, value: unknown];

const endpoints = [
  'GET /',
  'POST /scripts {behaviours} -> {id}',
  'GET /scripts/{id}/hits -> {hits}',
  'POST /scripts/{id}/wait {condition, timeoutMs?} -> {met, counts}',
  'POST /scripts/{id}/release {count?}',
  'DELETE /scripts/{id}',
  'PUT /pressure {pressure, listener?}',
  'GET /totals -> {totals}',
  'GET /hits -> {hits}',
  'POST /turns {alone, at?} -> lasts until the connection ends',
  'GET /questions, upgraded to plumbline-control -> questions and answers a line each',
];

/** Answers questions about one backend. */
export class ControlVerbs {
  readonly #control: BackendControl;
  readonly #registry: ScriptRegistry;

  constructor(control: BackendControl, registry: ScriptRegistry) {
    this.#control = control;
    this.#registry = registry;
  }

  /** Never rejects: an error is an answer, too. `gone` ends what waits for somebody who is no longer there. */
  async answer(question: ControlQuestion, gone: AbortSignal): Promise<ControlAnswer> {
    try {
      return await this.#answer(question, gone);
    } catch (error) {
      return refusal(error);
    }
  }

  async #answer(
    { method, path: whole, body }: ControlQuestion,
    gone: AbortSignal,
  ): Promise<ControlAnswer> {
    const control = this.#control;
    const path = whole.split('?', 1)[0] ?? '';
    const [, id = '', verb = ''] = /^\/scripts\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    switch (`${method} ${id === '' ? path : `/scripts/{id}${verb && `/${verb}`}`}`) {
      case 'GET /':
        return [200, { listeners: control.listeners, endpoints }];
      case 'POST /scripts':
        return [201, { id: this.#registry.add(scriptQuestion.parse(body).behaviours) }];
      case 'GET /scripts/{id}/hits':
        return [200, { hits: (await control.hits(id)).map(writeHit) }];
      case 'POST /scripts/{id}/wait':
        return [200, await this.#poll(id, body, gone)];
      case 'POST /scripts/{id}/release':
        await control.release(id, releaseQuestion.parse(body).count);
        return [200, {}];
      case 'DELETE /scripts/{id}':
        await control.forget(id);
        return [200, {}];
      case 'PUT /pressure': {
        const { pressure, listener } = pressureQuestion.parse(body);
        await control.setPressure(parsePressure(pressure), listener);
        return [200, {}];
      }
      case 'GET /totals':
        return [200, { totals: await control.totals() }];
      case 'GET /hits':
        return [200, { hits: (await control.recentHits()).map(writeHit) }];
      default:
        throw new Refused(404, `No such end point here. There are: ${endpoints.join('; ')}.`);
    }
  }

  async #poll(id: string, body: unknown, signal: AbortSignal) {
    const { condition, timeoutMs = longestPollMs } = waitQuestion.parse(body);
    try {
      const options = { timeoutMs: Math.min(timeoutMs, longestPollMs), signal };
      return { met: true, counts: await this.#control.waitFor(id, condition, options) };
    } catch (error) {
      if (error instanceof WaitTimedOut) return { met: false, counts: error.counts };
      throw error;
    }
  }
}

/** The answer that an error is. */
export function refusal(error: unknown): ControlAnswer {
  return [statusOf(error), { error: errorOf(error) }];
}

function statusOf(error: unknown): number {
  if (error instanceof Refused) return error.status;
  if (!(error instanceof Error)) return 500;
  if (error.name === 'UnknownScript') return 404;
  if (error.name === 'ZodError' || errorNames.some((name) => name === error.name)) return 400;
  return 500;
}

function errorOf(error: unknown) {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
