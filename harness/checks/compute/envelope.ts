/** Universal: error envelope, pairs of code and status, JSON bodies, Retry-After (compute#errors, #overview/json). */

import { type Exchange, headerValue, mediaType } from '../../exchange/exchange.ts';
import { bodyText, isObject, jsonBody, membersOf } from '../../exchange/body.ts';
import { codeOfStatus, conflictStatus } from '../../../schemas/compute/errors.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { judgedAs } from '../universal.ts';
import { isSuccess } from './records.ts';
import { jsonMediaType } from '../../../schemas/compute/media.ts';
import { retryAfterSchema } from '../../../schemas/compute/wire.ts';
import type { ComputeVerdicts } from './operation.ts';

function errorOf(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  const error = membersOf(exchange)?.['error'];
  return isObject(error) ? error : undefined;
}

/** The error code of a response, if any. */
export function codeOf(exchange: Exchange): string | undefined {
  const code = errorOf(exchange)?.['code'];
  return typeof code === 'string' ? code : undefined;
}

/** The request id of a response, if any. */
export function requestIdOf(exchange: Exchange): string | undefined {
  const id = errorOf(exchange)?.['request_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const pairs = [
  [400, 'status-400', 'code-validation-error'],
  [401, 'status-401', 'code-unauthorized'],
  [403, 'status-403', 'code-forbidden'],
  [404, 'status-404', 'code-not-found'],
  [429, 'status-429', 'code-too-many-requests'],
  [500, 'status-500', 'code-internal-error'],
] as const;

const documentedCodes: readonly string[] = Object.values(codeOfStatus);

/**
 * Refusals by a web server or proxy before the service sees the request (timeout, request line, headers, body, media type,
 * misdirected, upgrade). Of the 5xx, only 500 is in the contract's table; others also come from proxies.
 */
const httpLayerStatuses: ReadonlySet<number> = new Set([
  408, 411, 413, 414, 415, 417, 421, 426, 431,
]);

const inTable: ReadonlySet<number> = new Set([...pairs.map(([status]) => status), conflictStatus]);

/**
 * Paths and queries that a strict web server takes: no brackets, double quotes or bare percent signs (RFC 3986), no escapes
 * of control characters or of bytes that no UTF-8 text has.
 */
const target = /^(?:[\w\-.~!$&'()*+,;=:@/?]|%(?![01]|7F|C[01]|F[5-9A-F])[\dA-F]{2})*$/iu;

/** Texts that a firewall may take for an attack: markup, SQL, paths, templates. */
const suspicious = /<[a-z!/]|['"].*\b(?:or|and|union|select)\b|\.\.[/\\]|[$#]\{|"\$/iu;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/**
 * Whether the request may have been refused before it reached the service: an invalid URL by a web server, an id that is
 * not a UUID by a typed route, a suspicious text by a firewall. None of these knows the envelope, so their responses are
 * not JSON.
 */
function mayBeRefusedByHttpLayer(exchange: Exchange, id: string | undefined): boolean {
  const { request, response } = exchange;
  if (response === undefined || claimsJson(exchange)) return false;
  if (![400, 403, 404, 405, 406].includes(response.status)) return false;
  const isNoUrl = !(target.test(request.path) && target.test(request.query));
  return isNoUrl || (id !== undefined && !uuid.test(id)) || suspicious.test(decoded(request.query));
}

function claimsJson(exchange: Exchange): boolean {
  const label = headerValue(exchange.response?.headers ?? [], 'content-type') ?? '';
  return /json/iu.test(label) || /^\s*[[{]/u.test(bodyText(exchange));
}

/** The query with its ASCII escapes undone; no other character is suspicious. */
function decoded(query: string): string {
  return decodeURIComponent(query.replace(/%(?![0-7][\dA-F])/giu, ''));
}

/** Judges a complete error response of a documented operation; `id` is the id in its path. */
export function* errorEnvelope(exchange: Exchange, id: string | undefined): ComputeVerdicts {
  const status = exchange.response?.status ?? 0;
  if (status < 400 || mayBeRefusedByHttpLayer(exchange, id)) return;
  const error = errorOf(exchange);
  if (!inTable.has(status)) {
    yield* otherStatus(status, error, exchange);
    return;
  }
  yield judgedAs(
    'compute.errors.envelope',
    error !== undefined,
    `A ${status} came without the error envelope.`,
    { expected: 'an object with an error object in it', actual: bodyText(exchange) },
    exchange,
  );
  // Without an envelope its members are absent rather than wrong: one finding is enough.
  if (error === undefined) return;
  const { code, message, request_id: requestId } = error;
  yield judgedAs(
    'compute.errors.message-text',
    typeof message === 'string',
    'The message of an error is not text.',
    { expected: 'text', actual: message },
    exchange,
  );
  yield judgedAs(
    'compute.errors.request-id-text',
    isFilled(requestId),
    'The request id of an error is not text, or empty.',
    { expected: 'text that is not empty', actual: requestId },
    exchange,
  );
  yield* pairing(status, code, exchange);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** The contract has one envelope and six codes for all errors, and names no other status. */
function* otherStatus(
  status: number,
  error: Readonly<Record<string, unknown>> | undefined,
  exchange: Exchange,
): ComputeVerdicts {
  if (httpLayerStatuses.has(status) || status > 500) return;
  const members = ['code', 'message', 'request_id'];
  yield judgedAs(
    'compute.errors.other-status-envelope',
    members.every((member) => typeof error?.[member] === 'string'),
    `A ${status} came without the whole error envelope.`,
    { expected: 'an error object with code, message and request_id', actual: bodyText(exchange) },
    exchange,
  );
  if (error === undefined) return;
  yield known('compute.errors.other-status-code', status, error['code'], exchange);
}

function known(
  requirement: ComputeRequirementId,
  status: number,
  actual: unknown,
  exchange: Exchange,
) {
  return judgedAs(
    requirement,
    documentedCodes.some((code) => code === actual),
    `The code of a ${status} is none of the documented ones.`,
    { expected: documentedCodes.join(', '), actual },
    exchange,
  );
}

function* pairing(status: number, actual: unknown, exchange: Exchange): ComputeVerdicts {
  // The document does not show the code of a 409: it may be one of the six or another one.
  if (status === conflictStatus) {
    yield judgedAs(
      'compute.errors.status-409',
      isFilled(actual),
      'A 409 carries no code.',
      { expected: 'text that is not empty', actual },
      exchange,
    );
    return;
  }
  yield known('compute.errors.code-known', status, actual, exchange);
  for (const [documented, ofStatus, ofCode] of pairs) {
    const expected = codeOfStatus[documented];
    if (status === documented) {
      yield judgedAs(
        `compute.errors.${ofStatus}`,
        actual === expected,
        `A ${status} carries another code than ${expected}.`,
        { expected, actual },
        exchange,
      );
    }
    if (actual === expected) {
      yield judgedAs(
        `compute.errors.${ofCode}`,
        status === documented,
        `The code ${expected} came with status ${status}.`,
        { expected: documented, actual: status },
        exchange,
      );
    }
  }
}

/** Judges the body of a complete response and its content type; `id` is the id in its path. */
export function* jsonMedia(exchange: Exchange, id: string | undefined): ComputeVerdicts {
  const status = exchange.response?.status ?? 0;
  const success = isSuccess(exchange);
  if (!success && !(inTable.has(status) && !mayBeRefusedByHttpLayer(exchange, id))) return;
  // The checks that need a body judge its absence.
  if (exchange.response === undefined || exchange.response.body.length === 0) return;
  const kind = success ? 'success' : 'error';
  const body = jsonBody(exchange);
  yield judgedAs(
    `compute.media.${kind}-json`,
    body.ok,
    `The body of a ${status} is not JSON.`,
    { expected: 'JSON', actual: body.ok ? '' : `${body.problem}: ${bodyText(exchange)}` },
    exchange,
  );
  const { headers } = exchange.response;
  yield judgedAs(
    `compute.media.${kind}-label`,
    mediaType(headers) === jsonMediaType,
    `The body of a ${status} is not labelled as JSON.`,
    { expected: jsonMediaType, actual: headerValue(headers, 'content-type') ?? 'no Content-Type' },
    exchange,
  );
}

/** Judges the headers of a 429; its body need not have arrived. */
export function* retryAfter(exchange: Exchange): ComputeVerdicts {
  if (exchange.response?.status !== 429) return;
  const value = headerValue(exchange.response.headers, 'retry-after');
  yield judgedAs(
    'compute.rate-limiting.retry-after-there',
    value !== undefined,
    'A 429 came without a Retry-After header.',
    { expected: 'Retry-After', actual: 'no such header' },
    exchange,
  );
  if (value === undefined) return;
  yield judgedAs(
    'compute.rate-limiting.retry-after-integer',
    retryAfterSchema.safeParse(value).success,
    'Retry-After of a 429 is not a whole number of seconds.',
    { expected: 'digits alone', actual: value },
    exchange,
  );
}
