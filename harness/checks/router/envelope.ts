/** The error envelope: which responses must have it, what it says, and its form. */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { errorSources } from '../../../schemas/router/envelope.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import { type Exchange, headerValue, headerValues, mediaType } from '../../exchange/exchange.ts';
import { membersOf } from '../reading.ts';
import { judgedAs } from '../universal.ts';
import {
  isKnownClientRoute,
  mayBeForwarded,
  type RouterKnowledge,
  type RouterVerdicts,
} from './route.ts';

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
