/** Whether missing and invalid credentials are refused alike (router#authentication/5). */

import { isDeepStrictEqual } from 'node:util';
import { bodyText, isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { envelopeOf } from './envelope.ts';

export interface RefusalLikeness {
  readonly status: Judgement;
  readonly body: Judgement;
  readonly challenge: Judgement;
}

/**
 * Compares two refusals of the same route byte for byte, but for ids and moments. A side without a response shows nothing,
 * and bodies are compared only when both arrived whole. An envelope may have members of its own, such as an id in any
 * form: `again`, a second refusal like `one`, tells which of them move anyhow. Without it only what is documented counts.
 */
export function sameRefusal(one: Exchange, other: Exchange, again?: Exchange): RefusalLikeness {
  const [first, second] = [one.response, other.response];
  if (first === undefined || second === undefined) {
    return { status: notObserved, body: notObserved, challenge: notObserved };
  }
  const whole = one.ending === 'complete' && other.ending === 'complete';
  return {
    status: alike('status', String(first.status), String(second.status), one, other),
    body: whole
      ? alike(
          'body',
          withoutWhatMoves(comparable(one, one, again)),
          withoutWhatMoves(comparable(other, one, again)),
          one,
          other,
        )
      : notObserved,
    challenge: alike(
      'challenge',
      withoutWhatMoves(headerValue(first.headers, 'www-authenticate') ?? ''),
      withoutWhatMoves(headerValue(second.headers, 'www-authenticate') ?? ''),
      one,
      other,
    ),
  };
}

/** Members by which clients decide, and those whose text is the same: no other is documented. */
const documented: ReadonlySet<string> = new Set(['error', 'code', 'message', 'source']);
/** The text of a message may hold an id as well; by these two refusals are told apart whatever moves. */
const telling: ReadonlySet<string> = new Set(['code', 'source']);

/** The body as text, without the members that move. What is no object stays as it is. */
function comparable(exchange: Exchange, one: Exchange, again: Exchange | undefined): string {
  const [own, first, second] = [exchange, one, again].map((each) => objectIn(each));
  if (own === undefined || first === undefined) return bodyText(exchange);
  if (second !== undefined) return JSON.stringify(still(own, first, second));
  const isEnvelope = envelopeOf(exchange) !== undefined && envelopeOf(one) !== undefined;
  return isEnvelope ? JSON.stringify(onlyDocumented(own)) : bodyText(exchange);
}

function objectIn(exchange: Exchange | undefined): object | undefined {
  const body = exchange === undefined ? undefined : jsonBody(exchange);
  return body?.ok === true && isObject(body.value) ? body.value : undefined;
}

function onlyDocumented(value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value).filter((name) => documented.has(name));
  return Object.fromEntries(names.map((name) => [name, onlyDocumented(value[name])]));
}

/** The members of a value that are the same in two others, at any depth. */
function still(value: unknown, one: unknown, again: unknown): unknown {
  if (!isObject(value) || !isObject(one) || !isObject(again)) {
    return isDeepStrictEqual(one, again) ? value : '<moves>';
  }
  const members = Object.entries(value).map(([name, member]) => [
    name,
    telling.has(name) ? member : still(member, one[name], again[name]),
  ]);
  return Object.fromEntries(members);
}

function alike(
  what: string,
  expected: string,
  actual: string,
  one: Exchange,
  other: Exchange,
): Judgement {
  return expectThat(
    expected === actual,
    `The ${what} tells two refused credentials apart.`,
    { expected, actual },
    other,
    one,
  );
}

/**
 * Text with UUIDs, the long hexadecimal ids of traces and moments (ISO 8601, or seconds and milliseconds since the
 * epoch) taken out: they differ for each request, whatever its credential.
 */
function withoutWhatMoves(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/giu, '<id>')
    .replaceAll(/\b(?:[0-9a-f]{32}|[0-9a-f]{16})\b/giu, '<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/giu, '<moment>')
    .replaceAll(/\b1\d{9}(?:\d{3}|\.\d+)?\b/gu, '<moment>');
}
