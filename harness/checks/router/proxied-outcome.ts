/** What a transparent proxy route must make of an engine's answer (router#transparent-proxy). */

import { isRouterCode, type RouterCode } from '../../../schemas/router/codes.ts';
import { errorEnvelope, type ErrorSource } from '../../../schemas/router/envelope.ts';
import { endOfRetries } from '../../../schemas/router/retry-behaviour.ts';
import { isObject } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, together, notObserved, violated, type Judgement } from '../judgement.ts';
import { codeOf, envelopeOf } from './envelope.ts';
import { endedWith, endsOf, outcomeText } from './final-codes.ts';

export interface EngineAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * - `untouched`: status and bytes reach the client.
 * - `kept`: the envelope's code and source reach the client, unless a retry hides a code that does not stop a session.
 * - `wrapped`: backend_error or the end of retries.
 * - `near-envelope`: much like the envelope and not it; whether it is wrapped is implied.
 * - `open`: not said.
 */
export type ProxiedOutcome =
  | { readonly kind: 'untouched' }
  | { readonly kind: 'kept'; readonly code: string; readonly source: ErrorSource }
  | { readonly kind: 'wrapped' | 'near-envelope' | 'open' };

/** The codes with which a foreign error may come out. */
const wrappedEnds: readonly RouterCode[] = ['backend_error', ...endOfRetries];

/** The outcome that the document gives for an engine's answer. */
export function proxiedOutcome(answer: EngineAnswer): ProxiedOutcome {
  if (answer.status >= 200 && answer.status < 300) return { kind: 'untouched' };
  if (answer.status < 400) return { kind: 'open' };
  const value = jsonOf(answer.body);
  const envelope = errorEnvelope.safeParse(value);
  if (envelope.success) {
    return { kind: 'kept', code: envelope.data.error.code, source: envelope.data.error.source };
  }
  return { kind: isNearEnvelope(value) ? 'near-envelope' : 'wrapped' };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An object `error` with a string code and something of the rest. */
function isNearEnvelope(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['error'])) return false;
  return typeof value['error']['code'] === 'string';
}

/** Endings of an answer that its sender ended before its time. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['cut-short', 'malformed']);

/** Whether a success of the engine reached the client with its status and bytes, to its end. */
export function passedUntouched(exchange: Exchange, answer: EngineAnswer): Judgement {
  const { response, ending } = exchange;
  if (response === undefined) return notObserved;
  if (response.status === answer.status && ENDED_EARLY.has(ending)) {
    return violated(
      'A proxied success did not come to its end.',
      {
        expected: `${answer.body.length} bytes`,
        actual: `${ending} after ${response.body.length}`,
      },
      exchange,
    );
  }
  if (ending !== 'complete') return notObserved;
  return together(
    expectThat(
      response.status === answer.status,
      'The status of a proxied success was changed.',
      { expected: answer.status, actual: outcomeText(exchange) },
      exchange,
    ),
    expectThat(
      Buffer.compare(response.body, answer.body) === 0,
      'The body of a proxied success was changed.',
      { expected: text(answer.body), actual: text(response.body) },
      exchange,
    ),
  );
}

/**
 * Whether what arrived of a stream that its engine broke off is the beginning of what that had sent. A router that was
 * still waiting for more has not begun it and may answer with an error.
 */
export function beganUntouched(exchange: Exchange, sent: Uint8Array): Judgement {
  const { response } = exchange;
  if (response?.status !== 200 || exchange.ending === 'aborted') return notObserved;
  const beginning = sent.subarray(0, response.body.length);
  return expectThat(
    Buffer.compare(response.body, beginning) === 0,
    'What arrived of a proxied stream that broke off is not the beginning of what the engine sent.',
    { expected: text(beginning), actual: text(response.body) },
    exchange,
  );
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Whether a foreign error came out as backend_error or as the end of retries. */
export function wrapped(exchange: Exchange): Judgement {
  return endedWith(exchange, wrappedEnds);
}

/** Whether an error of the engine came out without having been classified. */
export function unclassified(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (code === '') return notObserved;
  return expectThat(
    code !== 'invalid_parameter' && code !== 'context_length_exceeded',
    'A proxied error was classified.',
    { expected: wrappedEnds.join(' or '), actual: outcomeText(exchange) },
    exchange,
  );
}

/** Whether code and source of an envelope that the engine sent were kept. */
export function keptEnvelope(
  exchange: Exchange,
  sent: { readonly code: string; readonly source: ErrorSource },
): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const seen = envelopeOf(exchange);
  // A code that does not stop the session may be hidden by the tries that follow.
  const ends: readonly string[] = isRouterCode(sent.code)
    ? endsOf(sent.code)
    : [sent.code, ...endOfRetries];
  const same = seen?.code === sent.code && seen.source === sent.source;
  const hidden = seen !== undefined && seen.code !== sent.code && ends.includes(seen.code);
  return expectThat(
    same || hidden,
    'Code and source of an envelope that the engine sent were not kept.',
    { expected: sent, actual: seen ?? outcomeText(exchange) },
    exchange,
  );
}

/** The same for the engine that was asked after another had failed; one hit shows nothing of a second engine. */
export function keptOfRetry(
  exchange: Exchange,
  hits: number,
  sent: { readonly code: string; readonly source: ErrorSource },
): Judgement {
  return hits > 1 ? keptEnvelope(exchange, sent) : notObserved;
}
