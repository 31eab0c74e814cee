/** Credentials: which are refused or accepted, that refusals look alike, and their challenge (router#authentication). */

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
import { bodyText, canonicalJson, isObject, membersOf } from '../../exchange/body.ts';
import { judgedAs } from '../universal.ts';
import { isAdminPath, type RouterKnowledge, type RouterVerdicts, mayBeForwarded } from './route.ts';

/** Passes on a 401. */
export function refused(exchange: Exchange): Judgement {
  const message = 'A credential that must be refused was not.';
  return expectOutcome(exchange, exchange.response?.status === 401, message, '401');
}

/** A key opens no route that needs another role. A server failure is not judged. */
export function opensNothing(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 500;
  if (status >= 500) return notObserved;
  const message = 'A key opened a route for which it has not the role.';
  return expectOutcome(exchange, status >= 400, message, 'a refusal');
}

/** A key of another role is refused with 401. A route that it opened is a different violation. */
export function refusedForItsRole(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  return status >= 400 && status < 500 ? refused(exchange) : notObserved;
}

/** Passes on anything but a refusal of the credential itself; model_forbidden is about the model. */
export function letIn(exchange: Exchange): Judgement {
  return codeOf(exchange) === 'model_forbidden' ? pass() : permitted(exchange);
}

/** The key may use the model that it asks for, whatever the outcome of the request. */
export function permitted(exchange: Exchange): Judgement {
  const isRight = ![401, 403].includes(exchange.response?.status ?? 0);
  return expectOutcome(exchange, isRight, 'A valid key was refused.', 'neither 401 nor 403');
}

/** The key may use the model, and the router finds it. */
export function mayUse(exchange: Exchange): Judgement {
  const isFound = codeOf(exchange) !== 'model_not_found';
  const message = 'A model that the allowlist of the key names was not found.';
  const judgement = permitted(exchange);
  if (judgement.violations.length > 0) return judgement;
  return expectOutcome(exchange, isFound, message, 'anything but 401, 403 and model_not_found');
}

/** True when the model may have been refused for the route, since the order of these checks is open. */
const isUnfitForRoute = hasCode('request_invalid', 'no_agents_available');

/** Passes on model_forbidden. A refusal for the route or for an undeclared quota is not judged: the order is open. */
export function forbidden(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (exchange.ending !== 'complete' || isUnfitForRoute(exchange) || isUndeclared(exchange)) {
    return notObserved;
  }
  const isForbidden = exchange.response?.status === 403 && code === 'model_forbidden';
  const message = 'A model outside the allowlist of the key was not forbidden.';
  return expectOutcome(exchange, isForbidden, message, '403 model_forbidden');
}

/** A model that is hidden from a key is not served. Codes of a refusal other than model_forbidden are not judged. */
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

/** Refusals of one credential on one route: members that differ among them vary with each request. */
export type Refusals = readonly [Exchange, ...Exchange[]];

/**
 * Compares a refusal with that of another credential on the same route byte for byte, apart from ids and timestamps. Only
 * refusals are compared, and bodies only when both arrived whole. An envelope may have further members, such as an id in
 * any form: several `refusals` show which members vary. With a single one, only documented members are compared.
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

/** The documented members of an error: the others are open. */
const documented: ReadonlySet<string> = new Set(['error', 'code', 'message', 'source']);
/** The text of a message may contain an id. These two members are compared even where they vary. */
const distinguishing: ReadonlySet<string> = new Set(['code', 'source']);

/** The body as text, without the members that vary. A body that is not an object stays as it is. */
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

/** The value with every member that varies among the others replaced, at any depth. */
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

/** Replaces UUIDs, hexadecimal trace ids and timestamps (ISO 8601, or epoch), which differ for each request. */
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
