/** The asking side of an upgraded connection to the control port. */

import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import type { Pool } from 'undici';
import * as z from 'zod';

import { jsonLine, LINES_PATH, LINES_PROTOCOL, parsedLine } from './control-lines.ts';

export interface LineAnswer {
  readonly status: number;
  readonly value: unknown;
}

interface Waiting {
  readonly resolve: (answer: LineAnswer) => void;
  readonly reject: (error: Error) => void;
}

const lineAnswer = z.object({ n: z.int(), status: z.int(), value: z.unknown().optional() });

/** One connection; questions may overtake one another. */
export class ControlLine {
  readonly #socket: Duplex;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  private constructor(socket: Duplex, onEnd: () => void) {
    this.#socket = socket;
    this.#hold(false);
    createInterface({ input: socket }).on('line', (line) => this.#take(line));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      onEnd();
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection ended'));
      this.#waiting.clear();
    });
  }

  /**
   * Undefined where the connection cannot be upgraded, as through a proxy: then each question is a request of its own.
   * `onEnd` is called when the connection is lost or closed.
   */
  static async open(
    pool: Pool,
    prefix: string,
    headers: Readonly<Record<string, string>>,
    onEnd: () => void,
  ): Promise<ControlLine | undefined> {
    try {
      const path = `${prefix}${LINES_PATH}`;
      const { socket } = await pool.upgrade({ path, protocol: LINES_PROTOCOL, headers });
      return new ControlLine(socket, onEnd);
    } catch {
      return undefined;
    }
  }

  /** Rejects when the connection ends before the answer. */
  async ask(method: string, path: string, body: unknown): Promise<LineAnswer> {
    this.#asked += 1;
    const n = this.#asked;
    return new Promise((resolve, reject) => {
      if (!this.#socket.writable) {
        reject(new Error('the connection has ended'));
        return;
      }
      this.#waiting.set(n, { resolve, reject });
      this.#hold(true);
      this.#socket.write(jsonLine({ n, method, path, body }));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(line: string): void {
    const answer = lineAnswer.safeParse(parsedLine(line));
    if (!answer.success) {
      this.#socket.destroy();
      return;
    }
    const { n, status, value } = answer.data;
    this.#waiting.get(n)?.resolve({ status, value });
    this.#waiting.delete(n);
    if (this.#waiting.size === 0) this.#hold(false);
  }

  /** An idle connection keeps no process alive. */
  #hold(isNeeded: boolean): void {
    if (!(this.#socket instanceof Socket)) return;
    if (isNeeded) this.#socket.ref();
    else this.#socket.unref();
  }
}
