/** Starts a router in front of two scripted engines and sends requests to it, for the tests of this folder. */

import { type IncomingHttpHeaders, request as start } from 'node:http';
import { afterEach } from 'vitest';
import type { Behaviour } from '../../backend/behaviour.ts';
import { markerOf } from '../../backend/engine/request.ts';
import { type ScriptedBackend, startScriptedBackend } from '../../backend/scripted-backend.ts';
import { bodyOf } from './agents.ts';
import { type RouterOptions, type RouterReference, startRouter } from './start.ts';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `error.code` of the body, if it has the envelope. */
  readonly code: string | undefined;
  readonly source: string | undefined;
  readonly message: string | undefined;
}

export interface Asking {
  readonly as?: string | null;
  readonly path?: string;
  readonly text?: string;
  readonly script?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

export class Running {
  readonly router: RouterReference;
  readonly backend: ScriptedBackend;
  readonly #secrets: ReadonlyMap<string, string>;

  constructor(router: RouterReference, backend: ScriptedBackend, secrets: Map<string, string>) {
    this.router = router;
    this.backend = backend;
    this.#secrets = secrets;
  }

  secret(name: string): string {
    return this.#secrets.get(name) ?? name;
  }

  async script(...behaviours: Behaviour[]): Promise<string> {
    return this.backend.script(behaviours);
  }

  async hits(script: string): Promise<number> {
    return (await this.backend.counts(script)).hits;
  }

  /** Sends any request, with the body unchanged. */
  async send(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    asking: Asking = {},
  ): Promise<Answered> {
    const { as = 'client', headers = {}, signal } = asking;
    return new Promise((resolve, reject) => {
      const authorization = as === null ? {} : { authorization: `Bearer ${this.secret(as)}` };
      const outgoing = start(`${this.router.baseUrl}${path}`, {
        method,
        agent: false,
        headers: { ...authorization, ...headers },
        ...(signal === undefined ? {} : { signal }),
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        bodyOf(response).then(
          (bytes) => resolve(answered(response.statusCode ?? 0, response.headers, bytes)),
          reject,
        );
      });
      outgoing.end(body);
    });
  }

  async get(path: string, asking: Asking = {}): Promise<Answered> {
    return this.send('GET', path, undefined, asking);
  }

  /** Sends a request to a model (default: a chat completion). */
  async ask(model: string, asking: Asking = {}): Promise<Answered> {
    const { path = '/v1/chat/completions', text = 'Say hello.', script, extra } = asking;
    const content = script === undefined ? text : `${text} ${markerOf(script)}`;
    const body = { model, ...inputs(path, content), ...extra };
    return this.send('POST', path, JSON.stringify(body), asking);
  }
}

function inputs(path: string, content: string): Readonly<Record<string, unknown>> {
  if (path === '/v1/embeddings') return { input: content };
  if (path === '/v1/rerank') return { query: content, documents: ['one', 'two'] };
  const messages = [{ role: 'user', content }];
  return path === '/v1/messages' ? { messages, max_tokens: 16 } : { messages };
}

function answered(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answered {
  const text = bytes.toString('utf8');
  const fields = new Map(
    [...text.matchAll(/"(code|source|message)":"((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const isError = status >= 400;
  return {
    status,
    headers,
    text,
    code: isError ? fields.get('code') : undefined,
    source: isError ? fields.get('source') : undefined,
    message: isError ? fields.get('message') : undefined,
  };
}

/** The statuses of several answers, in order. */
export async function statusesOf(
  answers: readonly Promise<Answered>[],
): Promise<readonly number[]> {
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  return statuses.toSorted((one, other) => one - other);
}

/** Starts backend and router. Both stop when the test ends. */
export async function running(options: Partial<RouterOptions> = {}): Promise<Running> {
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0', '127.0.0.1:0'] });
  closing.push(async () => backend.close());
  const secrets = new Map<string, string>();
  const router = await startRouter({
    engines: backend.listeners,
    ...options,
    configure: (usual) => {
      const deployment = options.configure?.(usual) ?? usual;
      for (const { name, secret } of deployment.keys) secrets.set(name, secret);
      return deployment;
    },
  });
  closing.push(async () => router.close());
  return new Running(router, backend, secrets);
}
