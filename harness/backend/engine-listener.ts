/** One address of the scripted backend, which an agent sees as an inference engine. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { complete } from './behaviour.ts';
import {
  findScript,
  receiveBody,
  type ReceivedBody,
  readRequest,
  type RouteName,
  routeOf,
} from './engine/request.ts';
import { deliver, deliveryOf, planDelivery } from './delivery.ts';
import { engineError, jsonReply, replyTo, type Reply } from './engine/reply.ts';
import type { HitEnd, PlayedScript, ScriptRegistry } from './scripts.ts';
import { isUnderForeignName, listenOn, stop } from './address.ts';
import type { ListenerTotals, Pressure } from './control.ts';

/** Larger than the body limit of any tested router; further bytes are discarded. */
const readableBytes = 64 * 1024 * 1024;

const FOREIGN_NAME =
  'On loopback this engine answers to its address and to localhost alone. Have it listen on an address that others reach.';
const BYTES_PER_TOKEN = 4;
/** The most tokens in a response of the tokenizer; its count may be higher. */
const MAX_TOKENS = 100_000;

/** The number of requests in flight that counts as a full cache. */
const cacheRequests = 256;

class Load {
  pressure: Pressure = {};
  #inFlight = 0;
  #hits = 0;

  began(): void {
    this.#hits += 1;
    this.#inFlight += 1;
  }

  ended(): void {
    this.#inFlight -= 1;
  }

  totals(listener: string): ListenerTotals {
    return { listener, hits: this.#hits, inFlight: this.#inFlight };
  }

  /** The gauges that agents scrape, under vLLM's names (the last one under both its old and new name). */
  metrics(model: string): string {
    const running = this.pressure.running ?? this.#inFlight;
    const waiting = this.pressure.waiting ?? 0;
    const cache = this.pressure.cacheUsage ?? Math.min(1, this.#inFlight / cacheRequests);
    return (
      gauge('num_requests_running', 'Requests being served.', model, running) +
      gauge('num_requests_waiting', 'Requests waiting to be served.', model, waiting) +
      gauge('gpu_cache_usage_perc', 'Share of the cache in use, 0 to 1.', model, cache) +
      gauge('kv_cache_usage_perc', 'Share of the cache in use, 0 to 1.', model, cache)
    );
  }
}

export class EngineListener {
  readonly #registry: ScriptRegistry;
  readonly #models: readonly string[];
  readonly load = new Load();
  readonly #server: Server;
  url = '';

  constructor(registry: ScriptRegistry, models: readonly string[]) {
    this.#registry = registry;
    this.#models = models;
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 65_536 });
    // If the backend closed an idle connection, the next request on it would fail and look like the router's fault.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('request', (request, response) => void this.#serve(request, response));
  }

  async listen(address: string): Promise<void> {
    this.url = await listenOn(this.#server, address);
  }

  async close(): Promise<void> {
    await stop(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeOf(request.method ?? '', request.url ?? '');
    try {
      if (isUnderForeignName(request)) {
        send(engineError(421, 'misdirected', FOREIGN_NAME), response);
      } else if (route === 'health' || route === 'models' || route === 'metrics') {
        this.#tell(route, request, response);
      } else if (route === 'tokenize') {
        await tokenize(request, response);
      } else if (request.method === 'POST') {
        await this.#infer(route, request, response);
      } else {
        send(engineError(404, 'not_found_error', 'This engine has no such route.'), response);
      }
    } catch {
      // An error of the backend must not look like a scripted response, nor affect other requests.
      request.socket.destroy();
    }
  }

  /** Answers the requests of agents themselves: health, models and metrics. */
  #tell(route: RouteName, request: IncomingMessage, response: ServerResponse): void {
    const [first = 'scripted'] = this.#models;
    const models = this.#models.map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'plumbline',
    }));
    const [, encoded] = /^\/v1\/models\/([^?]+)/.exec(request.url ?? '') ?? [];
    if (route === 'health') {
      send(jsonReply(200, { status: 'ok' }), response);
    } else if (route === 'metrics') {
      const body = Buffer.from(this.load.metrics(first));
      const type = 'text/plain; version=0.0.4; charset=utf-8';
      send({ status: 200, headers: [['content-type', type]], body, eventEnds: null }, response);
    } else if (encoded === undefined) {
      send(jsonReply(200, { object: 'list', data: models }), response);
    } else {
      const model = models.find(({ id }) => encodeURIComponent(id) === encoded || id === encoded);
      const missing = engineError(404, 'not_found_error', 'This engine has no such model.');
      send(model ? jsonReply(200, model) : missing, response);
    }
  }

  async #infer(
    route: RouteName,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { socket } = request;
    this.load.began();
    response.once('close', () => this.load.ended());
    const body = await receiveBody(request, readableBytes);
    const id = findScript(body.bytes, (candidate) => this.#registry.has(candidate));
    const script = id === null ? undefined : this.#registry.get(id);
    const behaviour = body.whole ? script?.next() : undefined;
    const end = this.#began(request, body, script);
    if (!body.whole || response.closed) {
      end('left');
      return;
    }
    const gone = new AbortController();
    response.once('close', () => {
      // The hold ends before the hit does, so that a client that waits for the end sees both.
      gone.abort();
      end(response.writableFinished ? 'answered' : 'left');
    });

    const asked = readRequest(route, body.bytes);
    if (behaviour === undefined && asked.json === null) {
      send(engineError(400, 'invalid_request_error', 'The body is not a JSON object.'), response);
      return;
    }
    const played = behaviour ?? complete();
    const hold = async (signal: AbortSignal) => script?.gate.wait(signal, () => script.changed());
    const delivering = {
      response,
      socket,
      signal: gone.signal,
      hold,
      onDrop: () => end('dropped'),
    };
    await deliver(planDelivery(replyTo(played, asked), deliveryOf(played)), delivering);
  }

  /** Counts a request for its script; returns the function that records how the request ended. */
  #began(
    { url = '', rawHeaders }: IncomingMessage,
    { bytes, length }: ReceivedBody,
    script: PlayedScript | undefined,
  ): (end: HitEnd) => void {
    if (script === undefined) return () => {};
    const record = {
      at: performance.timeOrigin + performance.now(),
      endedAt: null,
      end: 'open' as const,
      path: url,
      listener: this.url,
      headers: pairs(rawHeaders),
      body: bytes,
      bodyLength: length,
    };
    this.#registry.began(record, script);
    return (end) => script.end(record, end);
  }
}

/** Counts the tokens of a prompt. A marker in it is ignored, since the inference request itself comes later, if at all. */
async function tokenize(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { bytes, whole } = await receiveBody(request, readableBytes);
  if (!whole) return;
  const count = Math.ceil(bytes.length / BYTES_PER_TOKEN);
  const tokens = Array.from({ length: Math.min(count, MAX_TOKENS) }, (_, at) => at);
  send(jsonReply(200, { count, tokens }), response);
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
  );
}

function send(reply: Reply, response: ServerResponse): void {
  const length = ['content-length', String(reply.body.length)];
  response.writeHead(reply.status, [...reply.headers.flat(), ...length]);
  response.end(reply.body);
}

function gauge(name: string, help: string, model: string, value: number): string {
  const label = model.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `# HELP vllm:${name} ${help}\n# TYPE vllm:${name} gauge\nvllm:${name}{model_name="${label}"} ${value}\n`;
}
