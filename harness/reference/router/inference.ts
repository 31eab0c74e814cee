/** The inference handler: admission, queue, session, delivery, and the release of all resources. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type Reply, sendReply } from '../http.ts';
import { type Bill, outputOf, StreamMeter } from './quotas.ts';
import { Admission, type AdmissionParts, type Admitted } from './admission.ts';
import {
  DeadlinePassed,
  type Ending,
  HangUp,
  type KeyEntry,
  type RequestContext,
  type Route,
  RouterFailure,
} from './model.ts';
import type { Delivery, StreamDelivery } from './agents.ts';
import { type DeadlineClock, Gate, Holdings, moveDeadline } from './holdings.ts';
import {
  beginInSilence,
  endStream,
  type Replies,
  type StreamParts,
  writePieces,
  writeStream,
} from './replies.ts';
import { Session } from './session.ts';

export interface InferenceRequest {
  readonly context: RequestContext;
  readonly route: Route;
  readonly key: KeyEntry;
  readonly bytes: Buffer;
  readonly response: ServerResponse;
  /** Aborted at the deadline or when the client hangs up. */
  readonly signal: AbortSignal;
  readonly clock: DeadlineClock;
}

interface Progress {
  readonly request: InferenceRequest;
  readonly holdings: Holdings;
  admitted: Admitted | undefined;
  /** Runs another session for the request. */
  repeatDelivery: (() => Promise<Delivery>) | undefined;
  /** Releases the processor before the request ends. */
  leaveProcessor: ((ending: Ending) => void) | undefined;
}

export class Inference {
  readonly #parts: AdmissionParts;
  readonly #replies: Replies;
  readonly #admission: Admission;
  readonly #channel: Gate;
  readonly #processors: Gate;
  readonly #waitingForSlot = new Map<string, number>();

  constructor(parts: AdmissionParts, replies: Replies) {
    this.#parts = parts;
    this.#replies = replies;
    this.#admission = new Admission(parts);
    this.#channel = new Gate(parts.rules.channelSize(Math.max(1, parts.limits.queueSize)));
    this.#processors = new Gate(parts.rules.capacity('processor', parts.limits.maxConcurrent));
  }

  /** Serves a request. Resolves when the request holds nothing any more. */
  async serve(request: InferenceRequest): Promise<void> {
    const holdings = new Holdings(this.#parts.rules, request.context);
    const progress: Progress = {
      request,
      holdings,
      admitted: undefined,
      repeatDelivery: undefined,
      leaveProcessor: undefined,
    };
    try {
      const delivery = await this.#obtain(progress);
      if (delivery.kind === 'stream') await this.#deliverStream(progress, delivery);
      else {
        // Before the response is sent, since the client may send its next request at once.
        holdings.releaseAll('success');
        this.#send(
          request,
          this.#replies.whole(request.context, delivery.status, delivery.headers, delivery.body),
        );
      }
    } catch (error) {
      this.#fail(progress, error);
    }
  }

  async #obtain(progress: Progress): Promise<Delivery> {
    const { context, route, key, bytes, signal } = progress.request;
    const { rules, choices, quotas } = this.#parts;
    context.stage = 'admission';
    if (choices.invalidRequestsCost && key.perModel === undefined)
      quotas.takeRequest(key, '', context);
    const body = rules.parse(bytes, context);
    context.body = body;
    context.stream = body['stream'] === true;
    const modelId = rules.requireModel(body, context);
    context.model = modelId;
    const { holdings } = progress;
    const applicant = { context, route, key, modelId, body, signal, holdings };
    const admitted = await this.#admission.admit(applicant);
    progress.admitted = admitted;
    await this.#queue(progress);
    const kept = rules.remembered(bytes, context);
    if (kept !== undefined) {
      return {
        kind: 'whole',
        status: 200,
        headers: [['Content-Type', 'application/json']],
        body: kept,
      };
    }
    const headers = forwarded(context);
    const order = {
      context,
      model: admitted.model,
      dispatch: rules.forward({ path: context.path, headers, body: bytes, signal }, context),
      holdings,
      clock: progress.request.clock,
      settle: (delivery: Delivery) => this.#settle(progress, delivery),
    };
    progress.repeatDelivery = async () =>
      new Session(rules, this.#parts.fleet, this.#waitingForSlot, order).run();
    const stopWaiting = beginInSilence(this.#streamParts(progress), () =>
      this.#replies.whole(context, 200, [['Content-Type', 'text/event-stream']], new Uint8Array()),
    );
    try {
      return await progress.repeatDelivery();
    } finally {
      stopWaiting();
    }
  }

  #streamParts({ request: { context, response, signal } }: Progress): StreamParts {
    const { rules, choices } = this.#parts;
    return { rules, choices, context, response, signal };
  }

  /** Waits in the pending channel for a processor. @throws RouterFailure queue_full */
  async #queue(progress: Progress): Promise<void> {
    const { context, signal, clock } = progress.request;
    const { rules, limits } = this.#parts;
    context.stage = 'queue';
    if (!(await this.#channel.enter(1, signal, rules.queueFullMs(limits, context)))) {
      throw new RouterFailure('queue_full', 'the pending channel stayed full');
    }
    try {
      await this.#processors.enter(1, rules.endOfWaiting(signal, context));
    } finally {
      this.#channel.leave();
    }
    progress.leaveProcessor = progress.holdings.add('processor', () => this.#processors.leave());
    moveDeadline(clock, rules.deadlineAt('processor', context));
  }

  /** Charges a whole response. Streams are charged when they have ended. @throws RouterFailure on an overrun */
  #settle(progress: Progress, delivery: Delivery): void {
    if (delivery.kind === 'stream') return;
    const bill = this.#billOf(progress);
    if (bill !== undefined) this.#parts.quotas.settle(bill, outputOf(delivery.body), delivery.body);
  }

  /** What to charge the output to. Undefined for routes that generate none. */
  #billOf({ request: { context, key, route }, admitted }: Progress): Bill | undefined {
    if (admitted === undefined || route.generates !== true) return undefined;
    const budgeted = this.#parts.rules.budgeted(route, context);
    return { context, key, model: admitted.model, inputTokens: admitted.inputTokens, budgeted };
  }

  async #deliverStream(progress: Progress, delivery: StreamDelivery): Promise<void> {
    const { context, signal, clock } = progress.request;
    const { rules, choices } = this.#parts;
    moveDeadline(clock, rules.deadlineAt('stream', context));
    if (!choices.streamsKeepPlaces) progress.holdings.releaseAll('success', 'processor');
    if (!choices.streamsKeepProcessors) progress.leaveProcessor?.('success');
    const parts = this.#streamParts(progress);
    const empty = new Uint8Array();
    const head = this.#replies.whole(context, delivery.status, delivery.headers, empty);
    const meter = new StreamMeter();
    let ending: Ending = 'success';
    try {
      await writeStream(parts, head, delivery, (piece) => meter.add(piece));
    } catch (error) {
      ending = signal.aborted ? endingOf(signal.reason ?? error) : 'stream-failed';
    }
    if (ending === 'stream-failed' && rules.resumesStream(context)) {
      const more = await progress.repeatDelivery?.().catch(() => undefined);
      const pieces = more?.kind === 'stream' ? more : { pieces: [] };
      await writePieces(parts, pieces, (piece) => meter.add(piece)).catch(() => undefined);
    }
    const bill = this.#billOf(progress);
    if (bill !== undefined) this.#parts.quotas.bookStream(bill, meter.output());
    progress.holdings.releaseAll(ending);
    if (ending !== 'hang-up') endStream(parts, ending === 'success');
  }

  #fail(progress: Progress, error: unknown): void {
    const { request, holdings } = progress;
    const ending = endingOf(error);
    const refused = ending === 'failed' && progress.admitted === undefined;
    holdings.releaseAll(refused ? 'refused' : ending);
    if (error instanceof HangUp) return;
    const failure = this.asFailure(request.context, error);
    if (request.response.headersSent) return endStream(this.#streamParts(progress), false);
    this.#send(request, this.#replies.failure(request.context, failure));
  }

  /** Any thrown error as the failure that the client receives. */
  asFailure(context: RequestContext, error: unknown): RouterFailure {
    if (error instanceof RouterFailure) return error;
    if (error instanceof DeadlinePassed) return this.#parts.rules.timeout(context.stage, context);
    const text = error instanceof Error ? error.message : String(error);
    return new RouterFailure('backend_error', text, { source: 'router', status: 500 });
  }

  #send(request: InferenceRequest, reply: Reply): void {
    sendReply(request.response, reply, this.#parts.choices.framing);
  }
}

function endingOf(error: unknown): Ending {
  if (error instanceof HangUp) return 'hang-up';
  return error instanceof DeadlinePassed ? 'timeout' : 'failed';
}

/** Headers that an engine receives: content type and tracing, no credentials. */
function forwarded(context: RequestContext): Record<string, string> {
  const lines: Record<string, string> = {
    'content-type': 'application/json',
    'x-request-id': context.requestId,
  };
  const passed: readonly (keyof IncomingHttpHeaders)[] = [
    'accept',
    'anthropic-version',
    'anthropic-beta',
    'traceparent',
  ];
  for (const name of passed) {
    const value = context.headers[name];
    if (typeof value === 'string') lines[name] = value;
  }
  return lines;
}
