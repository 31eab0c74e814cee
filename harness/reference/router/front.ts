/** The HTTP front end of the router: routes, credentials, request bodies, and the response to each request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeadlinePassed,
  HangUp,
  type KeyEntry,
  type RequestContext,
  type Route,
  RouterFailure,
} from './model.ts';
import { decoded, readBody, type Reply, sendReply, splitTarget } from '../http.ts';
import { aborted } from './agents.ts';
import { type AdmissionParts, notFound } from './admission.ts';
import type { DeadlineClock } from './holdings.ts';
import type { Inference } from './inference.ts';
import type { Replies } from './replies.ts';

export interface FrontParts extends AdmissionParts {
  readonly keys: readonly KeyEntry[];
  readonly replies: Replies;
  readonly inference: Inference;
  readonly now: () => number;
}

interface Arrival {
  readonly context: RequestContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly clock: DeadlineClock;
}

/** Milliseconds until a connection with a refused body is reset, so that the client can read the response first. */
const RESET_AFTER_MS = 20;

export class Front {
  readonly #parts: FrontParts;
  #sequence = 0;

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = this.contextOf(request);
    const ending = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) ending.abort(new HangUp('the client hung up'));
    });
    const deadline = this.#parts.rules.deadlineMs(this.#parts.limits, context);
    const expire = () => ending.abort(new DeadlinePassed('too late'));
    let timer = setTimeout(expire, deadline);
    const clock: DeadlineClock = {
      stop: () => clearTimeout(timer),
      restart: () => {
        clearTimeout(timer);
        timer = setTimeout(expire, deadline);
      },
    };
    try {
      if (this.#parts.choices.latencyMs > 0) await delay(this.#parts.choices.latencyMs);
      await this.#answer({ context, request, response, signal: ending.signal, clock });
    } catch (error) {
      if (error instanceof HangUp || response.destroyed) return;
      const failure = this.#parts.inference.asFailure(context, error);
      this.#send(response, this.#parts.replies.failure(context, failure));
    } finally {
      clock.stop();
    }
  }

  /** The context of a request before any decision. */
  contextOf(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): RequestContext {
    const { path, query } = splitTarget(request.url ?? '/');
    this.#sequence += 1;
    return {
      requestId: this.#parts.rules.requestId(request.headers),
      sequence: this.#sequence,
      method: request.method ?? 'GET',
      path,
      query,
      headers: request.headers,
      route: this.#parts.rules.routeAt(path),
      key: undefined,
      model: undefined,
      stream: false,
      stage: 'receiving',
      agent: undefined,
      body: undefined,
      engineError: undefined,
      engineHeaders: undefined,
    };
  }

  async #answer({ context, request, response, signal, clock }: Arrival): Promise<void> {
    const { rules, choices, inference } = this.#parts;
    const shortcut = await rules.shortcut(context);
    if (shortcut !== undefined) return this.#send(response, shortcut);
    const { route } = context;
    const unregistered = route === undefined || route.method !== context.method;
    if (unregistered && choices.notFoundFirst) return this.#refuseRoute(context, request, response);
    if (choices.oversizeFirst && !this.#declaredFits(context)) {
      return this.#refuseBody(context, request, response);
    }
    const key = this.#authenticate(context);
    if (unregistered) return this.#refuseRoute(context, request, response);
    if (!this.#declaredFits(context)) return this.#refuseBody(context, request, response);
    const bytes = await this.#read(context, request, signal);
    if (bytes === 'too-large') return this.#refuseBody(context, request, response);
    if (route.capability === undefined) {
      return this.#send(response, this.#answerItself(context, route, key));
    }
    return inference.serve({ context, route, key, bytes, response, signal, clock });
  }

  /** @throws RouterFailure unauthorized, the same for missing and for invalid credentials */
  #authenticate(context: RequestContext): KeyEntry {
    const { rules, keys, now } = this.#parts;
    const token = rules.credential(context.headers, context);
    const key =
      token === undefined ? undefined : keys.find((entry) => rules.matches(token, entry, context));
    const role = context.path.startsWith('/admin/') ? 'admin' : 'client';
    if (
      key === undefined ||
      !rules.accepted(key, now(), context) ||
      !rules.opens(key, role, context)
    ) {
      throw new RouterFailure('unauthorized', 'unauthorized');
    }
    context.key = key;
    return key;
  }

  #declaredFits(context: RequestContext): boolean {
    const declared = Number(context.headers['content-length'] ?? 0);
    return this.#parts.rules.fits(declared, this.#limitOf(context), context);
  }

  /** The limit applies under `/v1/` only (limits/body-size). */
  #limitOf(context: RequestContext): number {
    return context.path.startsWith('/v1/') ? this.#parts.limits.maxRequestBytes : 0;
  }

  async #read(
    context: RequestContext,
    request: IncomingMessage,
    signal: AbortSignal,
  ): Promise<Buffer | 'too-large'> {
    const { rules } = this.#parts;
    const limit = this.#limitOf(context);
    try {
      const bytes = readBody(request, (length) => rules.fits(length, limit, context));
      return await Promise.race([bytes, aborted(signal)]);
    } catch (error) {
      signal.throwIfAborted();
      throw new HangUp('the client was lost', { cause: error });
    }
  }

  #answerItself(context: RequestContext, route: Route, key: KeyEntry): Reply {
    const { rules, choices, models, quotas, replies, fleet } = this.#parts;
    if (context.path === '/admin/health') {
      const agents = fleet.entries().map(({ name, state }) => ({ name, state }));
      return replies.json(context, { status: 'ok', agents });
    }
    if (context.path === '/admin/routing-table') {
      const table = models.map(({ id, steps, provider }) => ({ model: id, steps, provider }));
      return replies.json(context, { version: 1, models: table });
    }
    if (choices.listingCosts && key.perModel === undefined) quotas.takeRequest(key, '', context);
    const shown = models.filter((model) => rules.sees(key, model, context));
    if (route.family === 'models') {
      const data = shown.map(({ id }) => ({ id, ...choices.modelExtras }));
      return replies.json(context, { data, ...choices.listExtras });
    }
    const id = decoded(context.path.slice(route.path.length));
    const model = rules.findModel(shown, id, context);
    if (model === undefined) throw notFound(id);
    return replies.json(context, { id: model.id, ...choices.modelExtras });
  }

  #refuseRoute(context: RequestContext, request: IncomingMessage, response: ServerResponse): void {
    const { choices, replies } = this.#parts;
    const status = context.route === undefined ? 404 : choices.wrongMethod;
    // The path has a route but not for this method, so the response does not belong to the route.
    this.#send(response, replies.unregistered({ ...context, route: undefined }, status));
    request.resume();
  }

  #refuseBody(context: RequestContext, request: IncomingMessage, response: ServerResponse): void {
    if (this.#parts.choices.oversize === 'reset') {
      const reset = () => setTimeout(() => request.socket.resetAndDestroy(), RESET_AFTER_MS);
      response.once('finish', reset);
      this.#send(response, this.#parts.replies.oversize(context));
      return;
    }
    this.#send(response, this.#parts.replies.oversize(context));
    // The client may write all before it reads, so the rest of the body is read and dropped.
    request.resume();
  }

  #send(response: ServerResponse, reply: Reply): void {
    sendReply(response, reply, this.#parts.choices.framing);
  }
}
