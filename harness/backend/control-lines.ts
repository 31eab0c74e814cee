/**
 * The control port without the cost of an HTTP request for each question: a connection that was upgraded carries
 * questions one way and answers the other, a line of JSON each, in any order.
 *
 * `{"n":7,"method":"POST","path":"/scripts","body":{…}}` is answered `{"n":7,"status":201,"value":{…}}`.
 */

import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import * as z from 'zod';

import { type ControlVerbs, Refused } from './control-verbs.ts';

/** What the connection is upgraded to, and where. */
export const LINES_PROTOCOL = 'plumbline-control';
export const LINES_PATH = '/questions';

const lineQuestion = z.object({
  n: z.int(),
  method: z.string(),
  path: z.string(),
  body: z.unknown().optional(),
});

/** Says that the connection is upgraded. Throws `Refused` where something else was asked for. */
export function takeUpgrade({ headers, url }: IncomingMessage, socket: Duplex): void {
  if (url?.endsWith(LINES_PATH) !== true || headers.upgrade !== LINES_PROTOCOL) {
    throw new Refused(404, `Only ${LINES_PATH} is upgraded, to ${LINES_PROTOCOL}.`);
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINES_PROTOCOL}\r\n\r\n`,
  );
}

/** Answers every line until the connection ends; one that cannot be read ends it. */
export function answerLines(socket: Duplex, verbs: ControlVerbs): void {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // Whoever asks no more is told no more.
  socket.once('end', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  createInterface({ input: socket }).on('line', (line) => void answerLine(line));

  async function answerLine(line: string): Promise<void> {
    const question = lineQuestion.safeParse(parsedLine(line));
    if (!question.success) {
      socket.destroy();
      return;
    }
    const { n, method, path, body } = question.data;
    const [status, value] = await verbs.answer({ method, path, body }, gone.signal);
    if (socket.writable) socket.write(jsonLine({ n, status, value }));
  }
}

/** A value as one line of JSON, also for readers to whom the two separators of Unicode end a line, as newer Nodes do. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value)
    .replace(/\u2028/gu, '\\u2028')
    .replace(/\u2029/gu, '\\u2029');
  return `${text}\n`;
}

/** A line as JSON; undefined when it is none. */
export function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
