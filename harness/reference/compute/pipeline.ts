/** How a request passes through the deployment, from the received bytes to the sent bytes. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createRouter,
  type HeaderLine,
  readBody,
  type Reply,
  type Route,
  sendReply,
  splitTarget,
} from '../http.ts';
import type { Answer, Deployment, RequestContext } from './context.ts';
import type { ComputeChoices } from './choices.ts';
import { errorCodes, invalid, type Operation, type ReceivedAction, Refusal } from './model.ts';

/** The version segment at the end of the base URL. */
export const VERSION = '/v1';
/** Larger than any body that the contract allows, even with every character escaped. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Handles one request and sends the response. */
export type Pipeline = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface PipelineOptions {
  /** Milliseconds by which every response is delayed. */
  readonly latencyMs: number;
  /** Receives the errors that are not refusals. The caller gets a 500. */
  readonly onError: (error: unknown) => void;
}

export function createPipeline(deployment: Deployment, options: PipelineOptions): Pipeline {
  const route = createRouter(routesOf(deployment.choices));
  const { world, rules } = deployment;
  return async (request, response) => {
    world.requests += 1;
    world.inFlight += 1;
    const sequence = world.requests;
    try {
      const body = await readBody(request, (bytes) => bytes <= MAX_BODY_BYTES).catch(
        () => undefined,
      );
      // The caller disconnected before its request was complete.
      if (body === undefined) return;
      if (options.latencyMs > 0) await delay(options.latencyMs);
      const { path, query } = splitTarget(request.url ?? '/');
      const method = request.method ?? 'GET';
      const routed = path.startsWith(`${VERSION}/`)
        ? route(method, path.slice(VERSION.length))
        : ({ outcome: 'unknown' } as const);
      const found = routed.outcome === 'found' ? routed : undefined;
      const context: RequestContext = {
        deployment,
        rules,
        choices: deployment.choices,
        world,
        sequence,
        requestId: randomUUID(),
        now: Date.now(),
        method,
        path: path.slice(VERSION.length),
        query,
        headers: headerLines(request),
        body: body === 'too-large' ? Buffer.alloc(0) : body,
        operation: found?.route.value,
        pathParameters: found?.parameters ?? {},
        key: undefined,
      };
      const allowed = routed.outcome === 'wrong-method' ? routed.allowed : undefined;
      const answer = await answerTo(context, allowed, body === 'too-large', options);
      const reply = await rules.onReply(
        context,
        replyOf(await rules.onResponse(context, answer), context),
      );
      if (body === 'too-large') response.shouldKeepAlive = false;
      sendReply(response, reply, deployment.choices.framing);
    } finally {
      world.inFlight -= 1;
    }
  };
}

/** The response to bytes that are not HTTP. */
export function malformedReply(deployment: Deployment): Reply {
  const { message, contentType } = deployment.choices;
  const code = errorCodes[400];
  const error = { code, message: message(code, 'This is not HTTP.'), request_id: randomUUID() };
  return { status: 400, headers: [['Content-Type', contentType]], body: JSON.stringify({ error }) };
}

async function answerTo(
  context: RequestContext,
  allowed: readonly string[] | undefined,
  isTooLarge: boolean,
  options: PipelineOptions,
): Promise<Answer> {
  const { rules } = context;
  try {
    const early = await rules.onRequest(context);
    if (early !== undefined) return early;
    if (context.operation === undefined) return rules.unknownRoute(allowed, context);
    admit(context, context.operation);
    if (isTooLarge) throw invalid('The request body is too large.');
    const answer = rules.operate[context.operation](context);
    log(context, answer.status);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) options.onError(error);
    const answer = rules.errorAnswer(rules.refusalOf(error, context), context);
    log(context, answer.status);
    return answer;
  }
}

/** Admits a request or refuses it with 401, 403 or 429. */
function admit(context: RequestContext, operation: Operation): void {
  const { rules } = context;
  const key = rules.authenticate(context);
  context.key = key;
  const wait = rules.takeRequest(key, context);
  if (wait !== undefined) throw rules.tooManyRequests(wait, context);
  if (!rules.isAllowed(key, operation, context)) {
    throw new Refusal(403, errorCodes[403], 'The policy of this key does not allow that.');
  }
}

/** Records every stop, terminate and start, whatever its outcome. */
function log(context: RequestContext, status: number): void {
  const { operation, key, world, now } = context;
  if (!isAction(operation) || key === undefined) return;
  const accepted = status >= 200 && status < 300;
  world.actions.push({
    at: now,
    operation,
    instanceId: (context.pathParameters['id'] ?? '').toLowerCase(),
    account: key.account,
    key: key.role,
    status,
    reasonNote:
      accepted && operation !== 'start-instance'
        ? context.rules.readReasonNote(context)
        : undefined,
  });
}

function isAction(operation: Operation | undefined): operation is ReceivedAction['operation'] {
  return (
    operation === 'stop-instance' ||
    operation === 'terminate-instance' ||
    operation === 'start-instance'
  );
}

function replyOf({ status, headers = [], json, text }: Answer, { choices }: RequestContext): Reply {
  const type = text === undefined ? choices.contentType : 'text/plain';
  const isEmpty = text === undefined && json === undefined;
  const described = isEmpty ? [] : [['Content-Type', type] as const];
  return {
    status,
    headers: [...described, ...headers, ...choices.extraHeaders],
    body: text ?? (isEmpty ? '' : textOf(json, choices)),
  };
}

function textOf(json: unknown, { json: style }: ComputeChoices): string {
  const text = JSON.stringify(json, undefined, style === 'pretty' ? 2 : undefined);
  if (style !== 'ascii') return text;
  return text.replaceAll(
    /[\u0080-\uFFFF]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function routesOf(choices: ComputeChoices): readonly Route<Operation>[] {
  const { start, startOffered, terminatePath } = choices;
  return [
    { method: 'GET', path: '/instances', value: 'list-instances' },
    { method: 'POST', path: '/instances/{id}/stop', value: 'stop-instance' },
    { method: 'POST', path: terminatePath, value: 'terminate-instance' },
    ...(startOffered
      ? [{ method: start.method, path: start.path, value: 'start-instance' } as const]
      : []),
    { method: 'GET', path: '/instances/{id}', value: 'get-instance' },
    { method: 'GET', path: '/regions', value: 'regions' },
    { method: 'GET', path: '/presets', value: 'presets' },
    { method: 'POST', path: '/_provision', value: 'provision' },
  ];
}

function headerLines(request: IncomingMessage): readonly HeaderLine[] {
  const { rawHeaders } = request;
  const lines: HeaderLine[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    lines.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return lines;
}
