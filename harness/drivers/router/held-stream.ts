/** A stream that its engine holds at some place until the client has seen it arrive, and refusals before a stream. */

import { events, type Place } from '../../backend/behaviour.ts';
import { type Judgement, together } from '../../checks/judgement.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { jsonError } from '../../checks/router/stream-delivery.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { FEW_TOKENS, UNKNOWN_MODEL } from './client-routes.ts';
import { readEventStream } from '../../checks/router/event-stream.ts';
import { scriptedModel, unlessExplained } from './provoke.ts';
import { mayBeServedAgain, onceReturned } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { limitMs, rest, retry, underWay } from '../../runner/retry.ts';

export interface HeldStream {
  readonly exchange: Exchange;
  /** Whether the head of a success reached the client while the engine held the stream. */
  readonly began: boolean;
  /** Whether every event that the engine had sent reached the client by then, too. */
  readonly delivered: boolean;
  readonly hits: number;
}

export interface HeldStreamOptions {
  readonly events: readonly { readonly data: string }[];
  /** Where the engine waits, after at least one event. */
  readonly at: Place;
  /** Whole events that the engine has sent by then. */
  readonly whole: number;
  /** How the engine ends the connection there (default: it goes on to the end of the stream). */
  readonly drop?: 'close' | 'reset';
  readonly model?: string;
}

interface Streamer extends Pick<RouterContext, 'models' | 'signal'> {
  readonly api: Pick<RouterContext['api'], 'chat'>;
  readonly backend: Pick<RouterContext['backend'], 'script' | 'waitFor' | 'release' | 'counts'>;
  readonly session: object;
}

/** Requests a stream, waits at the place until the client has its events or patience ends, and releases it. */
export async function heldStream(t: Streamer, options: HeldStreamOptions): Promise<HeldStream> {
  return onceReturned(t.session, async () => heldOnce(t, options), {
    model: options.model ?? scriptedModel(t, 'chat'),
    isEjected: ({ exchange, hits }) => hits === 0 && mayBeServedAgain(exchange),
    signal: t.signal,
  });
}

/** A stream held after its first event. Load may delay that event once; a router that buffers streams does each time. */
export async function streamHeldOpen(
  t: Streamer,
  list: HeldStreamOptions['events'],
): Promise<HeldStream> {
  const send = async () => heldStream(t, { events: list, at: { afterEvents: 1 }, whole: 1 });
  return retry(t, 'twiceMore', send, (held) => held.delivered);
}

async function heldOnce(
  t: Streamer,
  { events: list, at, whole, drop, model = scriptedModel(t, 'chat') }: HeldStreamOptions,
): Promise<HeldStream> {
  const ending = drop === undefined ? { done: true } : { drop: { at, how: drop } };
  const script = await t.backend.script([events([...list], { hold: at, ...ending })]);
  const waiting = new AbortController();
  const pieces: Uint8Array[] = [];
  let began = false;
  let resolveCame: () => void = () => {};
  const came = new Promise<void>((resolve) => (resolveCame = resolve));
  const asking = underWay(
    t.api.chat(model, {
      script,
      stream: true,
      onHead: (status) => {
        // A router that holds a whole stream back may meet its deadline meanwhile; an error begins no stream.
        if (!waiting.signal.aborted && status < 300) began = true;
        return undefined;
      },
      onChunk: (piece) => {
        pieces.push(piece);
        if (eventsIn(pieces) >= whole) resolveCame();
        return undefined;
      },
    }),
  );
  const { signal } = waiting;
  // A router at its limits lets a request wait, so patience counts from when the engine has sent its part.
  const held = t.backend
    .waitFor(script, { held: 1 }, { signal, timeoutMs: limitMs('queued') })
    .catch(() => undefined);
  const ended = asking.catch(() => undefined);
  await Promise.race([held, ended]);
  await Promise.race([came, ended, rest({ signal }, 'streamHeldBack').catch(() => undefined)]);
  waiting.abort();
  const delivered = eventsIn(pieces) >= whole;
  await t.backend.release(script);
  const exchange = await asking;
  const { hits } = await t.backend.counts(script);
  // A response without a hit at the engine began no stream.
  return { exchange, began: began && hits > 0, delivered, hits };
}

function eventsIn(pieces: readonly Uint8Array[]): number {
  return readEventStream(Buffer.concat(pieces).toString('utf8')).events.length;
}

/** Whether refusals of requests for a stream are JSON. What is served without a stream, too, is no refusal. */
export async function refusalsOfStreams(t: RouterContext): Promise<Judgement> {
  const judgements: Judgement[] = [];
  for (const [model, form] of [
    [UNKNOWN_MODEL, {}],
    [UNKNOWN_MODEL, { extra: { model: undefined } }],
    [await t.anyModel(), { as: null, maxTokens: FEW_TOKENS }],
  ] as const) {
    const ask = async (stream: boolean) => t.api.chat(model, { ...form, stream });
    const isServed = async () => isSuccess(await ask(false));
    judgements.push(await unlessExplained(jsonError(await ask(true)), isServed));
  }
  return together(...judgements);
}
