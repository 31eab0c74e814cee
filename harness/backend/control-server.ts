/**
 * The control port: the verbs of `BackendControl` as JSON over HTTP, for suites in another process.
 *
 * `GET /` lists the verbs. Errors are `{error: {message}}`: 400 for an invalid question, 401 without the token, 403 from
 * another machine or under a foreign `Host` name, 404 for an unknown verb. Questions must have the type
 * `application/json`, so that a browser sends a preflight request for those of a web page.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { Refused } from './behaviour.ts';
import { receiveBody } from './engine/request.ts';
import { isOfThisMachine, namesThisMachine } from './address.ts';
import { longestPollMs, turnSignMs, type Verb, verbs, WaitTimedOut } from './control.ts';
import type { LocalControl } from './local-control.ts';

/** More bytes than any script needs. */
const readableBytes = 64 * 1024 * 1024;

type Answering = (question: unknown, gone: AbortSignal) => Promise<unknown>;

/** Builds the server without listening. Callers must send the token; without a token they must be on this machine. */
export function controlServer(control: LocalControl, token: string | undefined): Server {
  const answers = answersOf(control);
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    serve(request, response, gone.signal).catch((error: unknown) => {
      const [status, message] = refusalOf(error);
      send(response, status, { error: { message } });
    });
  });
  server.keepAliveTimeout = 0;
  return server;

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    admit(request, token);
    const { method = 'GET', url = '/' } = request;
    const question = await bodyOf(request);
    const answer = answers.get(`${method} ${url}`);
    if (url === '/')
      send(response, 200, { listeners: control.listeners, verbs: [...answers.keys()] });
    else if (answer !== undefined) send(response, 200, await answer(question, gone));
    else if (`${method} ${url}` === TURN) await holdTurn(response, question, gone);
    else
      throw new Refused(`There is no such verb here, but ${[...answers.keys()].join(', ')}.`, 404);
  }

  async function holdTurn(
    response: ServerResponse,
    question: unknown,
    gone: AbortSignal,
  ): Promise<void> {
    const { alone, at } = verbs.turn.question.parse(question);
    const leave = await control.turn(alone, gone, at);
    const signs = setInterval(() => response.write('\n'), turnSignMs);
    const end = (): void => {
      clearInterval(signs);
      leave();
    };
    if (gone.aborted) return end();
    gone.addEventListener('abort', end, { once: true });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{}\n');
  }
}

const TURN = `POST /${verbs.turn.name}`;

function answersOf(control: LocalControl): ReadonlyMap<string, Answering> {
  const serving = <Question, Answer>(
    { name, question, answer }: Verb<Question, Answer>,
    act: (asked: Question, gone: AbortSignal) => Promise<Answer>,
  ): readonly [string, Answering] => [
    `POST /${name}`,
    async (asked, gone) => z.encode(answer, await act(question.parse(asked), gone)) ?? {},
  ];
  const answers: ReadonlyMap<string, Answering> = new Map([
    serving(verbs.script, async ({ behaviours }) => control.script(behaviours)),
    serving(verbs.hits, async ({ id }) => [...(await control.hits(id))]),
    serving(verbs.wait, async ({ id, condition, timeoutMs }, signal) => {
      try {
        const options = { timeoutMs: Math.min(timeoutMs, longestPollMs), signal };
        return { met: true, counts: await control.waitFor(id, condition, options) };
      } catch (error) {
        if (error instanceof WaitTimedOut) return { met: false, counts: error.counts };
        throw error;
      }
    }),
    serving(verbs.release, async ({ id, count }) => control.release(id, count)),
    serving(verbs.setPressure, async ({ pressure, listener }) =>
      control.setPressure(pressure, listener),
    ),
    serving(verbs.totals, async () => [...(await control.totals())]),
    serving(verbs.several, async ({ questions }, gone) =>
      Promise.all(
        questions.map(async ({ name, question }) => {
          try {
            const act = answers.get(`POST /${name}`);
            if (act === undefined) throw new Refused(`There is no verb ${name} here.`, 404);
            return { status: 200, answer: await act(question, gone) };
          } catch (error) {
            const [status, message] = refusalOf(error);
            return { status, answer: { error: { message } } };
          }
        }),
      ),
    ),
  ]);
  return answers;
}

function admit(request: IncomingMessage, token: string | undefined): void {
  if (token !== undefined) {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${token}`);
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
    throw new Refused('This control port wants its token: Authorization: Bearer TOKEN.', 401);
  }
  const isHere = isOfThisMachine(request.socket.remoteAddress ?? '');
  if (isHere && namesThisMachine(request.headers.host ?? '')) return;
  throw new Refused(
    'This control port answers its own machine only, by its address or as localhost. Start the backend with a control token to reach it from others.',
    403,
  );
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const { bytes, length } = await receiveBody(request, readableBytes);
  if (length > readableBytes) throw new Refused(`At most ${readableBytes} bytes are read.`, 413);
  if (request.method !== 'POST') return undefined;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refused('Send JSON, with content-type: application/json.', 415);
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Refused('The body is not JSON.');
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function refusalOf(error: unknown): readonly [status: number, message: string] {
  if (error instanceof Refused) return [error.status, error.message];
  if (error instanceof z.ZodError) return [400, z.prettifyError(error)];
  return [500, error instanceof Error ? error.message : String(error)];
}
