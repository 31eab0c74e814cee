/** Requests that fill a router: sent, seen to arrive at their engine, and let go. */

import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { Inconclusive } from '../../runner/signals.ts';
import { chattingModels, firstWithRoom } from './first-with-room.ts';
import { requireFixture } from './fixture.ts';
import type { RouterContext } from './session.ts';
import { waits } from '../../runner/retry.ts';

/** Without another arrival at the engine for as long as the first took, the processors count as full. */
const MIN_QUIET_MS = 60;
/** Times as long for which nobody may come where fewer came than were sent: on a busy machine some are late. */
const LATECOMERS = 8;

export class Fillers {
  readonly #t: RouterContext;
  readonly #script: string;
  readonly #stream: boolean;
  readonly #answered: Exchange[] = [];
  readonly #sent: Promise<unknown>[] = [];
  #failure: unknown;

  /** Requests whose engine does as a script says, streams if asked. */
  constructor(t: RouterContext, script: string, stream = false) {
    this.#t = t;
    this.#script = script;
    this.#stream = stream;
  }

  /** Sends one to the plain model, and leaves what becomes of it to the caller. */
  async sendOne(model = requireFixture(this.#t, 'chat')): Promise<Exchange> {
    const stream = this.#stream ? { stream: true } : {};
    return this.#t.api.chat(model, { script: this.#script, unbounded: true, ...stream });
  }

  /** Sends `count` at once, each to the first chatting model that has a slot. */
  send(count: number): void {
    const models = chattingModels(this.#t);
    for (let index = 0; index < count; index += 1) {
      this.#sent.push(
        firstWithRoom(models, async (model) => this.sendOne(model)).then(
          (exchange) => this.#answered.push(exchange),
          (error: unknown) => (this.#failure ??= error),
        ),
      );
    }
  }

  /** Those that were answered by now. Throws when one could not be sent. */
  get answered(): readonly Exchange[] {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#answered;
  }

  /**
   * Waits until no more come in at the engine, and says for how many milliseconds none came; undefined when
   * the router calls its channel full meanwhile. Where fewer than `expected` came it waits longer. Throws `Inconclusive`
   * when some were answered otherwise.
   */
  async arrived(expected = 0): Promise<number | undefined> {
    const from = performance.now();
    let firstMs: number | undefined;
    let lastAt = from;
    let before = 0;
    while (this.answered.length === 0) {
      const { held: now } = await this.#t.backend.counts(this.#script);
      const at = performance.now();
      if (now > 0) firstMs ??= at - from;
      if (now !== before) lastAt = at;
      before = now;
      const quietMs = Math.max(MIN_QUIET_MS, firstMs ?? Infinity);
      // All are there: nobody is left that could come.
      if (now >= this.#sent.length && now >= expected) return quietMs;
      if (at - lastAt >= (now < expected ? LATECOMERS * quietMs : quietMs)) return quietMs;
      await pause(waits.arrives.pollMs[0], this.#t.signal);
    }
    if (this.answered.some((exchange) => codeOf(exchange) === 'queue_full')) return undefined;
    const ends = new Set(this.answered.map((exchange) => outcomeText(exchange)));
    throw new Inconclusive(
      `the router could not be filled: ${this.answered.length} of the requests that were to be held were answered at once (${[...ends].join(', ')})`,
    );
  }

  /** Resolves when all have ended, however they did. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#sent);
  }
}
