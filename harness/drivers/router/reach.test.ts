import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../contracts/index.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { listening } from '../../exchange/listening.test.support.ts';
import { startScriptedBackend } from '../../backend/scripted-backend.ts';

const CASE = { judges: ['router.endpoints.chat-completions-answer'], needs: [] } as const;

async function serving(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const { port, close } = await listening(createServer(handle));
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}

/** Answers a request with an error of the router. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string) {
  const error = { code, message: 'no', source: 'router' };
  request.resume();
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

/** A router with one agent that forwards to `agent` once `isHealthy` says so. */
async function router(agent: string, isHealthy: () => boolean): Promise<string> {
  return serving((request, response) => {
    if (!isHealthy()) return refuse(request, response, 503, 'no_agents_available');
    const asked = httpRequest(`${agent}${request.url}`, { method: 'POST' }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on('error', () => response.writeHead(502).end());
    return request.pipe(asked);
  });
}

async function opened(file: object, lines: string[] = []) {
  const planned = parseTarget(
    JSON.stringify({ contract: 'router', keys: { client: 'a-key' }, ...file }),
    'target.yaml',
  );
  const notify = (line: string): void => void lines.push(line);
  const session = await openSession(planned, { runId: 'test', notify });
  onTestFinished(async () => session.close());
  return session;
}

/** A scripted engine, with a control port, until the test ends. */
async function engine() {
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'], control: '127.0.0.1:0' });
  onTestFinished(async () => backend.close());
  return { url: backend.listeners[0] ?? '', backend: { control: backend.controlUrl } };
}

/** An address at which nobody listens. */
async function freeAddress(): Promise<string> {
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
  const [url = ''] = backend.listeners;
  await backend.close();
  return new URL(url).host;
}

test('a run whose engine listens with it waits until the agents have found it, and says for what', async () => {
  const address = await freeAddress();
  let healthy = 0;
  const ask = setInterval(() => {
    httpRequest(`http://${address}/health`, (answer: IncomingMessage) => {
      answer.resume();
      healthy += 1;
    })
      .on('error', () => undefined)
      .end();
  }, 150);
  const lines: string[] = [];
  const baseUrl = await router(`http://${address}`, () => healthy >= 3);
  const session = await opened(
    { baseUrl, models: { chat: 'late-model' }, backend: { listen: [address] } },
    lines,
  );
  await session.ready?.([CASE]);
  clearInterval(ask);
  expect(lines[0]).toMatch(/waiting up to \d+ s for the agents of models\.chat \(late-model, /u);
  expect(lines[0]).toContain('503 no_agents_available');
  expect(lines.at(-1)).toContain('1 of 1 models with a role reach the scripted engine');
  expect(session.missing(CASE.judges, [])).toEqual([]);
});

test('a model whose requests reach another engine leaves what needs the scripted one not exercised, with the cause', async () => {
  const { backend } = await engine();
  const { url } = await engine();
  const lines: string[] = [];
  const baseUrl = await router(url, () => true);
  const session = await opened({ baseUrl, models: { chat: 'stray-model' }, backend }, lines);
  await session.ready?.([CASE]);
  const both = [...CASE.judges, 'router.backend-classification.status-503'];
  const [missing, ...others] = session.missing(both, []);
  // Reported once, and without a line: the target file has all of them.
  expect(others).toEqual([]);
  expect(missing?.line).toBe('');
  expect(missing?.purpose).toContain('stray-model are answered 200 and never reach');
  expect(lines.at(-1)).toContain('what needs that is not exercised');
  // Cases that need no engine still run.
  expect(session.missing(['router.authentication.missing-key'], [])).toEqual([]);
});

test('a refusal that is the router’s own is left to the suite', async () => {
  const { backend } = await engine();
  const baseUrl = await serving((request, response) =>
    refuse(request, response, 429, 'concurrency_limit_exceeded'),
  );
  const session = await opened({ baseUrl, models: { chat: 'full-model' }, backend });
  await session.ready?.([CASE]);
  expect(session.missing(CASE.judges, [])).toEqual([]);
});
