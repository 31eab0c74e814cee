/** Credentials: refused, let in, refused alike, and the challenge of a refusal (router#authentication). */

import { isDeepStrictEqual } from 'node:util';
import {
  type Exchange,
  headerValue,
  headerValues,
  type RecordedResponse,
} from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass } from '../judgement.ts';
import { codeOf, envelopeOf, hasCode } from './envelope.ts';
import { expectOutcome, isSuccess } from './outcome.ts';
import { isUndeclared } from '../limits/bucket.ts';
import { bodyText, canonicalJson, isObject } from '../../exchange/body.ts';
import { membersOf } from '../reading.ts';
import { judgedAs } from '../universal.ts';
import { isAdminPath, type RouterKnowledge, type RouterVerdicts, mayBeForwarded } from './route.ts';

/** Held for a 401. */
export function refused(exchange: Exchange): Judgement {
  const message = 'A credential that must be refused was not.';
  return expectOutcome(exchange, exchange.response?.status === 401, message, '401');
}

/** Held when a key opens nothing with a role that it does not have. A server that fails shows nothing. */
export function opensNothing(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 500;
  if (status >= 500) return notObserved;
  const message = 'A key opened a route for which it has not the role.';
  return expectOutcome(exchange, status >= 400, message, 'a refusal');
}

/** Held where a key of another role is refused with 401. One that opened the route is another mistake. */
export function refusedForItsRole(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  return status >= 400 && status < 500 ? refused(exchange) : notObserved;
}

/** Held for anything but a refusal of the credential itself: model_forbidden speaks of the model. */
export function letIn(exchange: Exchange): Judgement {
  return codeOf(exchange) === 'model_forbidden' ? pass() : permitted(exchange);
}

/** Held when a key may use the model that it asks for, whatever becomes of the request. */
export function permitted(exchange: Exchange): Judgement {
  const isRight = ![401, 403].includes(exchange.response?.status ?? 0);
  return expectOutcome(exchange, isRight, 'A valid key was refused.', 'neither 401 nor 403');
}

/** Held when a key may use a model and finds it. */
export function mayUse(exchange: Exchange): Judgement {
  const isFound = codeOf(exchange) !== 'model_not_found';
  const message = 'A model that the allowlist of the key names was not found.';
  const judgement = permitted(exchange);
  if (judgement.violations.length > 0) return judgement;
  return expectOutcome(exchange, isFound, message, 'anything but 401, 403 and model_not_found');
}

/** True where a model may be refused for the route, whichever is looked at first. */
const isUnfitForRoute = hasCode('request_invalid', 'no_agents_available');

/**
 * Held for model_forbidden. The model may also be one that the route cannot use, or for which the key declares no quota,
 * and the order of refusals is open: those answers show nothing.
 */
export function forbidden(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (exchange.ending !== 'complete' || isUnfitForRoute(exchange) || isUndeclared(exchange)) {
    return notObserved;
  }
  const isForbidden = exchange.response?.status === 403 && code === 'model_forbidden';
  const message = 'A model outside the allowlist of the key was not forbidden.';
  return expectOutcome(exchange, isForbidden, message, '403 model_forbidden');
}

/** Broken where a model that is hidden from a key is served: it may be refused with any code. */
export function servedNone(exchange: Exchange): Judgement {
  if (!isSuccess(exchange) && codeOf(exchange) !== 'model_forbidden') return notObserved;
  const message =
    'A model that the list hides from the key, as it hides the denied one, was served.';
  return expectOutcome(exchange, !isSuccess(exchange), message, '403 model_forbidden');
}

export interface RefusalLikeness {
  readonly status: Judgement;
  readonly body: Judgement;
  readonly challenge: Judgement;
}

/** Refusals of one credential on one route: what differs among them moves anyhow. */
export type Refusals = readonly [Exchange, ...Exchange[]];

/**
 * Compares a refusal with those of another credential on the same route byte for byte, but for ids and moments. A side
 * that refused nothing shows nothing, and bodies are compared only when both arrived whole. An envelope may have members of
 * its own, such as an id in any form: several refusals tell which of them move. With one alone only what is documented
 * counts.
 */
export function sameRefusal(refusals: Refusals, other: Exchange): RefusalLikeness {
  const [one] = refusals;
  const [first, second] = [one.response, other.response];
  const areRefusals = [first, second].every((each) => each !== undefined && each.status >= 400);
  if (first === undefined || second === undefined || !areRefusals) {
    return { status: notObserved, body: notObserved, challenge: notObserved };
  }
  const alike = (what: string, expected: string, actual: string): Judgement =>
    expectThat(
      expected === actual,
      `The ${what} tells two refused credentials apart.`,
      { expected, actual },
      other,
      one,
    );
  const [own, theirs] = [one, other].map((each) => withoutWhatMoves(comparable(each, refusals)));
  const challenge = ({ headers }: RecordedResponse): string =>
    withoutWhatMoves(headerValue(headers, 'www-authenticate') ?? '');
  const whole = one.ending === 'complete' && other.ending === 'complete';
  return {
    status: alike('status', String(first.status), String(second.status)),
    body: whole ? alike('body', own ?? '', theirs ?? '') : notObserved,
    challenge: alike('challenge', challenge(first), challenge(second)),
  };
}

/** Members by which clients decide, and those whose text is the same: no other is documented. */
const documented: ReadonlySet<string> = new Set(['error', 'code', 'message', 'source']);
/** The text of a message may hold an id as well; by these two refusals are told apart whatever moves. */
const distinguishing: ReadonlySet<string> = new Set(['code', 'source']);

/** The body as text, without the members that move. What is no object stays as it is. */
function comparable(exchange: Exchange, refusals: Refusals): string {
  const own = membersOf(exchange);
  const others = refusals.map(membersOf).filter((each) => each !== undefined);
  if (own === undefined || others.length === 0) return bodyText(exchange);
  if (others.length > 1) return canonicalJson(still(own, others));
  const isEnvelope = envelopeOf(exchange) !== undefined && envelopeOf(refusals[0]) !== undefined;
  return isEnvelope ? canonicalJson(onlyDocumented(own)) : bodyText(exchange);
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
    return [name, distinguishing.has(name) ? member : still(member, theirs)];
  });
  return Object.fromEntries(members);
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

interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name, quotes and escapes removed. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
const part = new RegExp(
  String.raw`(?<name>${TOKEN})\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>${TOKEN}))|(?<scheme>${TOKEN})(?=\s|,|$)`,
  'gu',
);

/** The challenges of `WWW-Authenticate` lines (RFC 9110 section 11.6.1). */
export function challengesIn(lines: readonly string[]): readonly Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const match of lines.join(', ').matchAll(part)) {
    const { name, quoted, bare, scheme } = match.groups ?? {};
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else if (name !== undefined) {
      const value = quoted?.replaceAll(/\\(.)/gu, '$1') ?? bare ?? '';
      found.at(-1)?.parameters.set(name.toLowerCase(), value);
    }
  }
  return found;
}

/** Judges every 401, on whatever path (router#headers/www-authenticate, router#authentication/5/challenge). */
export function* bearerChallenge(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  const { response } = exchange;
  if (response?.status !== 401 || mayBeForwarded(exchange, knowledge)) return;
  const lines = headerValues(response.headers, 'www-authenticate');
  const bearer = challengesIn(lines).filter((challenge) => challenge.scheme === 'bearer');
  const actual = lines.length === 0 ? 'no WWW-Authenticate' : lines.join(', ');
  yield judgedAs(
    isAdminPath(exchange)
      ? 'router.response-headers.challenge-on-admin-routes'
      : 'router.response-headers.challenge-on-client-routes',
    bearer.length > 0,
    'A 401 has no Bearer challenge.',
    { expected: 'WWW-Authenticate: Bearer realm="…"', actual },
    exchange,
  );
  if (bearer.length === 0) return;
  yield judgedAs(
    'router.authentication.challenge-realm',
    bearer.some((challenge) => (challenge.parameters.get('realm') ?? '').trim() !== ''),
    'The Bearer challenge of a 401 names no realm.',
    { expected: 'Bearer realm="…"', actual },
    exchange,
  );
}
