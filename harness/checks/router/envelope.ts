/**
 * The error envelope: which responses must have it, what it says, its form, and whether code, status and source agree
 * with the code table.
 */

import {
  type RouterCode,
  codeTable,
  isRouterCode,
  type CodeRow,
} from '../../../schemas/router/codes.ts';
import { errorSources } from '../../../schemas/router/envelope.ts';
import { isObject, jsonBody, membersOf } from '../../exchange/body.ts';
import { type Exchange, headerValue, headerValues, mediaType } from '../../exchange/exchange.ts';
import { judgedAs } from '../universal.ts';
import {
  isKnownClientRoute,
  mayBeForwarded,
  type RouterKnowledge,
  type RouterVerdicts,
} from './route.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';

/** The members of an error. `message` and `source` are undefined when they are not strings; a source may be any text. */
export interface SaidError {
  readonly code: string;
  readonly message: string | undefined;
  readonly source: string | undefined;
}

/**
 * The `error` of a body with a code; undefined without a code, or when the body did not arrive whole. Other defects of the
 * envelope do not hide the code: `envelopeForm` reports them once, and the code itself may be right.
 */
export function envelopeOf(exchange: Exchange): SaidError | undefined {
  const error = membersOf(exchange)?.['error'];
  if (!isObject(error)) return undefined;
  const [code, message, source] = ['code', 'message', 'source'].map((field) => {
    const said = error[field];
    return typeof said === 'string' ? said : undefined;
  });
  return code === undefined ? undefined : { code, message, source };
}

/** The code in the envelope of an error; `''` when there is none. */
export function codeOf(exchange: Exchange): string {
  return (exchange.response?.status ?? 0) < 400 ? '' : (envelopeOf(exchange)?.code ?? '');
}

/** A predicate for errors with one of these codes. */
export function hasCode(...codes: readonly RouterCode[]) {
  return (exchange: Exchange): boolean => codes.some((code) => code === codeOf(exchange));
}

/** True when the document promises the envelope for this response (router#envelope). */
export function owesEnvelope(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  if (status === undefined || status < 400 || status === 413) return false;
  // A server may decode an encoded slash, which makes another path.
  if (/%2f/iu.test(exchange.request.path)) return false;
  return isKnownClientRoute(exchange) && !mayBeServerAnswer(exchange);
}

/** Judges the form of the envelope wherever it is promised and the body arrived whole. */
export function* envelopeForm(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  if (!owesEnvelope(exchange) || exchange.ending !== 'complete') return;
  const status = exchange.response?.status;
  const body = jsonBody(exchange);
  const error = membersOf(exchange)?.['error'];
  yield judgedAs(
    'router.envelope.object',
    isObject(error),
    `The ${status} of a known client route is not the error envelope.`,
    {
      expected: 'a JSON object with an object `error`',
      actual: body.ok ? body.value : body.problem,
    },
    exchange,
  );
  if (!isObject(error)) return;
  for (const field of ['code', 'message'] as const) {
    yield judgedAs(
      `router.envelope.${field}`,
      typeof error[field] === 'string',
      `The \`${field}\` of the error envelope is not a string.`,
      { expected: 'a string', actual: error },
      exchange,
    );
  }
  yield judgedAs(
    'router.envelope.source',
    errorSources.some((source) => source === error['source']),
    'The `source` of the error envelope is not one of the two.',
    { expected: errorSources.join(' or '), actual: error },
    exchange,
  );
  const type = mediaType(exchange.response?.headers ?? []);
  // A forwarded error may keep the content type of the engine.
  if (mayBeForwarded(exchange, knowledge)) return;
  yield judgedAs(
    'router.envelope.content-type',
    type === 'application/json' || type?.endsWith('+json') === true,
    'The error envelope is not labelled as JSON.',
    { expected: 'application/json', actual: type ?? 'no Content-Type' },
    exchange,
  );
}

/** Statuses with which an HTTP server refuses a request before it chooses a route (RFC 9110, RFC 6585). */
const serverStatuses = new Set([408, 411, 414, 417, 421, 426, 431, 505]);

/** Statuses of a proxy or load balancer that limits its clients (RFC 6585) or does not reach its server (RFC 9110). */
const proxyStatuses = new Set([429, 502, 503, 504]);
/** Attempts after which a response like that of a proxy counts as the deployment's own. */
const PASSING_ATTEMPTS = 2;

/**
 * True when a response has neither request id nor JSON object, and has the status of a proxy that did not reach the router.
 * That is trouble on the way, unless each repetition of the request gets it.
 */
export function mayBeProxyAnswer(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response === undefined || !proxyStatuses.has(response.status)) return false;
  return (
    headerValue(response.headers, 'x-request-id') === undefined && membersOf(exchange) === undefined
  );
}

/** True when the request, as recorded, is not valid HTTP/1.1, so that a 400 may come from the HTTP server itself. */
function isOddHttp(exchange: Exchange): boolean {
  const { headers, body, path, method } = exchange.request;
  const lengths = headerValues(headers, 'content-length');
  const [length] = lengths;
  if (headerValues(headers, 'transfer-encoding').length > 0) return true;
  if (lengths.length > 1) return true;
  if (length !== undefined && length !== String(body.length)) return true;
  if (/%(?![\da-f]{2})/iu.test(path)) return true;
  if (!/^[\x21-\x7e]+$/u.test(path) || !/^[A-Z]+$/u.test(method)) return true;
  return headers.some(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/u.test(name) || isOddText(value));
}

/** True for a header text with control characters or non-ASCII bytes. Placeholders of secrets are ignored. */
function isOddText(text: string): boolean {
  return Buffer.from(text.replaceAll(/‹[^‹›]*›/gu, '')).some(
    (byte) => (byte < 0x20 && byte !== 0x09) || byte > 0x7e,
  );
}

/** True when an HTTP server in front of the routes may have answered, without envelope or headers. A 413 is not included. */
export function mayBeServerAnswer(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  if (status === undefined) return false;
  if (exchange.retries < PASSING_ATTEMPTS && mayBeProxyAnswer(exchange)) return true;
  return serverStatuses.has(status) || (status === 400 && isOddHttp(exchange));
}

/** True when a request found no capacity or no agent: the same request may be served a moment later. */
export const foundNoRoom = hasCode(
  'concurrency_limit_exceeded',
  'no_agents_available',
  'no_capacity',
  'queue_full',
);

/** True for an internal failure of the router, which any request may meet (router#codes/backend_error). */
export function isInternalFailure(exchange: Exchange): boolean {
  return exchange.response?.status === 500 && codeOf(exchange) === 'backend_error';
}

function inRow(exchange: Exchange, code: RouterCode, status: number): Judgement {
  const { statuses }: CodeRow = codeTable[code];
  return expectThat(
    statuses.includes(status),
    `The code ${code} came with status ${status}.`,
    { expected: statuses.join(' or '), actual: status },
    exchange,
  );
}

/**
 * An envelope from the engine, whose code and status match the table, was forwarded with a status that the table does not
 * allow. A status that it allows may be the engine's own, and shows nothing about the router.
 */
export function forwardedBesideRow(exchange: Exchange): Judgement {
  const code = envelopeOf(exchange)?.code ?? '';
  const status = exchange.response?.status;
  if (status === undefined || !isRouterCode(code)) return notObserved;
  const judgement = inRow(exchange, code, status);
  return judgement.violations.length > 0 ? judgement : notObserved;
}

/** A body of up to this many bytes is certainly small. */
const SMALL_BYTES = 4_096;

/** Whether a 413 answers a body far below every known limit, so that it needs the envelope like other errors. */
function isMisplaced413({ request, response }: Exchange, { maxRequestBytes }: RouterKnowledge) {
  if (response?.status !== 413 || maxRequestBytes === undefined) return false;
  const { length } = request.body;
  // A body that was not recorded as sent does not show its size.
  const declared = headerValue(request.headers, 'content-length') ?? String(length);
  if (length === 0 || length > SMALL_BYTES || declared !== String(length)) return false;
  if (headerValue(request.headers, 'transfer-encoding') !== undefined) return false;
  return maxRequestBytes === 0 || length <= maxRequestBytes;
}

/**
 * Whether the router itself sent a response whose status HTTP servers also use before any route: the response has the
 * envelope and a code of the table. request_invalid is excluded, since a server in front may use it too.
 */
function isFromRouter(exchange: Exchange, status: number): boolean {
  if (status < 400 || status === 413 || !isKnownClientRoute(exchange)) return false;
  const code = codeOf(exchange);
  return isRouterCode(code) && code !== 'request_invalid';
}

/** Judges status and source by the table row of the code, and the code by the table. */
export function* codeAgreement(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  const status = exchange.response?.status;
  if (status === undefined) return;
  const misplaced = isKnownClientRoute(exchange) && isMisplaced413(exchange, knowledge);
  if (!owesEnvelope(exchange) && !misplaced && !isFromRouter(exchange, status)) return;
  if (mayBeForwarded(exchange, knowledge)) return;
  const error = envelopeOf(exchange);
  if (error === undefined) return;
  const { code, source } = error;
  // An engine's failure with another code of the table refuses no credentials; its own row says that 401 is wrong.
  const isForwarded = source === 'backend' && isRouterCode(code) && code !== 'unauthorized';
  if (status === 401 && !isForwarded) yield* refusal(exchange, error);
  yield judgedAs(
    'router.codes.known-codes',
    isRouterCode(code),
    `The code ${JSON.stringify(code)} is not in the table.`,
    { expected: Object.keys(codeTable).join(', '), actual: code },
    exchange,
  );
  if (!isRouterCode(code)) return;
  const row: CodeRow = codeTable[code];
  yield { requirement: `router.codes.${code}-status`, judgement: inRow(exchange, code, status) };
  if (code === 'backend_error') {
    // A failure of an engine or a provider becomes a 502; other failures inside the router may be 500.
    if (source !== 'backend' || !row.statuses.includes(status)) return;
    yield judgedAs(
      'router.codes.backend_error-forwarded-status',
      status === 502,
      'A failure of an engine or a provider came out as a failure inside the router.',
      { expected: 502, actual: status },
      exchange,
    );
    return;
  }
  if (source === undefined) return;
  yield judgedAs(
    `router.codes.${code}-source`,
    row.sources.some((one) => one === source),
    `The code ${code} came with source ${source}.`,
    { expected: row.sources.join(' or '), actual: source },
    exchange,
  );
}

/** Every 401 has one code, one source and one message (router#authentication/5/fields). */
function* refusal(exchange: Exchange, said: SaidError): RouterVerdicts {
  for (const [field, expected] of [
    ['code', 'unauthorized'],
    ['source', 'router'],
    ['message', 'unauthorized'],
  ] as const) {
    if (said[field] === undefined) continue;
    yield judgedAs(
      `router.authentication.refusal-${field}`,
      said[field] === expected,
      `A 401 came with the ${field} ${JSON.stringify(said[field])}.`,
      { expected, actual: said[field] },
      exchange,
    );
  }
}
