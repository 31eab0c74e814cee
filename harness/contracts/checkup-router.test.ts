import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startScriptedRouter } from '../reference/router/start.ts';
import { listening, portOf } from '../exchange/listening.test.support.ts';
import { linesOf, marked, words } from './checkup.test.support.ts';

const router = await startScriptedRouter();
afterAll(async () => router.close());

const { baseUrl, keys } = Object(router.target());
/** A target file of this router. */
const file = { contract: 'router', baseUrl, keys: { client: keys.client } };

test('a router target file that fits', async () => {
  const lines = await linesOf(router.target());
  expect(marked(lines, 'wrong')).toEqual([]);
  const fitting = words(`
    keys.client keys.admin keys.expired keys.tokensPerDay[0] keys.serverless.model
    models.chat models.hidden.from backend.control`);
  expect(marked(lines, 'fits')).toEqual(expect.arrayContaining([...fitting]));
  expect(marked(lines, 'untried')).toEqual(['hooks.disconnectAgent', 'hooks.reconnectAgent']);
});

test('keys in the wrong places', async () => {
  const swapped = { client: keys.client, admin: keys.expired, expired: keys.second };
  const lines = await linesOf({ ...file, keys: swapped });
  expect(lines.get('keys.admin')).toMatchObject({ mark: 'wrong', blame: 'access' });
  expect(lines.get('keys.expired')).toMatchObject({ mark: 'wrong', blame: 'file' });
});

test('models that nobody serves; one that need not be listed is not called wrong', async () => {
  const lines = await linesOf({
    ...file,
    keys: { client: keys.client, allowlisted: keys.allowlisted },
    models: {
      chat: 'no-such-model',
      noAgents: 'no-such-model-either',
      hidden: { id: 'scripted-chat', from: 'allowlisted' },
    },
  });
  expect(marked(lines, 'wrong')).toEqual(['models.chat', 'models.hidden.from']);
  expect(marked(lines, 'untried')).toEqual(['models.noAgents']);
});

test('what answers everything alike is not taken for a router', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const lines = await linesOfServer(server, { models: { chat: 'some-model' } });
  expect(lines.get('baseUrl')).toMatchObject({ mark: 'wrong', blame: 'access' });
  expect(lines.has('models.chat')).toBe(false);
});

test('a backend: an address in use is wrong, a free one fits, a control port that is none is wrong', async () => {
  const { port, close } = await listening(createServer());
  const inUse = await linesOf({ ...file, backend: { listen: [`127.0.0.1:${port}`] } });
  expect(marked(inUse, 'wrong')).toEqual(['backend.listen']);
  const control = await linesOf({ ...file, backend: { control: `http://127.0.0.1:1` } });
  expect(marked(control, 'wrong')).toEqual(['backend.control']);
  await close();
  const free = await linesOf({ ...file, backend: { listen: [`127.0.0.1:${port}`] } });
  expect(marked(free, 'wrong')).toEqual([]);
});

/** The lines of a check that treats the server as a router. */
async function linesOfServer(server: Server, more: object = {}): ReturnType<typeof linesOf> {
  const at = { baseUrl: `http://127.0.0.1:${await portOf(server)}`, keys: { client: 'some-key' } };
  return linesOf({ ...file, ...at, ...more });
}

const NO_ROUTER = 'is no router of this contract';

/** Documented responses of gateways that do not implement this contract. */
const gateways = {
  'a proxy with errors of its own': (status: number) => ({
    error: { message: 'refused', type: 'auth_error', param: null, code: String(status) },
  }),
  'a gateway with texts for errors': () => ({ status: 'failure', message: 'refused' }),
  'an engine alone': () => ({
    error: { message: 'no such model', type: 'invalid_request_error', code: 'model_not_found' },
  }),
  'an engine that leaves unknown models unanswered': (status: number) =>
    status === 401 ? { detail: 'refused' } : undefined,
  'a gateway that shares a code with the contract': (status: number) => ({
    error: { message: 'refused', code: status === 401 ? 'invalid_api_key' : 'model_not_found' },
  }),
} as const;

test.for(Object.entries(gateways))(
  '%s is no router, as a few requests tell',
  async ([, errorOf]) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      request.resume();
      const mayList = request.method === 'GET' && request.headers.authorization !== undefined;
      const status = mayList ? 200 : request.method === 'GET' ? 401 : 404;
      const body = mayList ? { object: 'list', data: [{ id: 'a-model' }] } : errorOf(status);
      if (body === undefined) return request.socket.destroy();
      const headers = { 'Content-Type': 'application/json', 'X-Request-ID': randomUUID() };
      return response.writeHead(status, headers).end(JSON.stringify(body));
    });
    const lines = await linesOfServer(server);
    expect(lines.get('baseUrl')).toMatchObject({ mark: 'wrong', blame: 'access' });
    expect(JSON.stringify(lines.get('baseUrl'))).toContain(NO_ROUTER);
    expect(requests).toBeLessThan(10);
  },
);

test.for([404, 500])(
  'a server that serves inference and no list (%i) is no router',
  async (status) => {
    const server = createServer((request, response) => {
      request.resume();
      const isList = request.method === 'GET';
      response.writeHead(isList ? status : 200, { 'Content-Type': 'application/json' });
      response.end(isList ? '{"detail":"nothing"}' : '{"choices":[]}');
    });
    const lines = await linesOfServer(server);
    expect(JSON.stringify(lines.get('keys.client'))).toContain(NO_ROUTER);
  },
);

test('a router whose list is not found, and that knows the envelope, is one that breaks the contract', async () => {
  const server = createServer((request, response) => {
    request.resume();
    const error = { code: 'model_not_found', message: 'none', source: 'router' };
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error }));
  });
  const lines = await linesOfServer(server);
  expect(lines.get('baseUrl')).toBeUndefined();
});
