/** Whether missing and invalid credentials are refused alike (router#authentication/5). */

import { isDeepStrictEqual } from 'node:util';
import { bodyText, canonicalJson, isObject, jsonBody } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { envelopeOf } from './envelope.ts';

export interface RefusalLikeness {
  readonly status: Judgement;
  readonly body: Judgement;
  readonly challenge: Judgement;
}

/** Refusals of one credential on one route: what differs among them moves anyhow. */
export type Refusals = readonly [Exchange, ...Exchange[]];

/**
 * Compares a refusal with those of another credential on the same route byte for byte, but for ids and moments. A side
 * without a response shows nothing, and bodies are compared only when both arrived whole. An envelope may have members of
 * its own, such as an id in any form: several refusals tell which of them move. With one alone only what is documented
 * counts.
 */
export function sameRefusal(refusals: Refusals, other: Exchange): RefusalLikeness {
  const [one] = refusals;
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
          withoutWhatMoves(comparable(one, refusals)),
          withoutWhatMoves(comparable(other, refusals)),
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
function comparable(exchange: Exchange, refusals: Refusals): string {
  const own = objectIn(exchange);
  const others = refusals.map((each) => objectIn(each)).filter((each) => each !== undefined);
  if (own === undefined || others.length === 0) return bodyText(exchange);
  if (others.length > 1) return canonicalJson(still(own, others));
  const isEnvelope = envelopeOf(exchange) !== undefined && envelopeOf(refusals[0]) !== undefined;
  return isEnvelope ? canonicalJson(onlyDocumented(own)) : bodyText(exchange);
}

function objectIn(exchange: Exchange): object | undefined {
  const body = jsonBody(exchange);
  return body.ok && isObject(body.value) ? body.value : undefined;
}

function onlyDocumented(value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value).filter((name) => documented.has(name));
  return Object.fromEntries(names.map((name) => [name, onlyDocumented(value[name])]));
}

/** The members of a value that are the same in all others, at any depth. */
function still(value: unknown, others: readonly unknown[]): unknown {
  const objects = others.filter((other) => isObject(other));
  if (!isObject(value) || objects.length < others.length) {
    return others.every((other) => isDeepStrictEqual(other, others[0])) ? value : '<moves>';
  }
  const members = Object.entries(value).map(([name, member]) => {
    const theirs = objects.map((other) => other[name]);
    return [name, telling.has(name) ? member : still(member, theirs)];
  });
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
