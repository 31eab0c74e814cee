/** The error envelope: which answers owe it, what stands in it, and its form. */

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

/** What an error says. `message` and `source` are undefined where they are no strings; a source may be any word. */
export interface SaidError {
  readonly code: string;
  readonly message: string | undefined;
  readonly source: string | undefined;
}

/**
 * The `error` of a body with a code; undefined when there is none, or the body did not arrive whole. What else is wrong
 * with the envelope hides no code: `envelopeForm` tells that once, and it is not the fault of what provoked the error.
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

/** The code in the envelope of an error, `''` when there is none. */
export function codeOf(exchange: Exchange): string {
  return (exchange.response?.status ?? 0) < 400 ? '' : (envelopeOf(exchange)?.code ?? '');
}

/** Tells errors with one of these codes from every other end. */
export function hasCode(...codes: readonly RouterCode[]) {
  return (exchange: Exchange): boolean => codes.some((code) => code === codeOf(exchange));
}

/** True when the document promises the envelope for this answer (router#envelope). */
export function owesEnvelope(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  if (status === undefined || status < 400 || status === 413) return false;
  // A server may take an encoded slash for a bare one, which makes another path.
  if (/%2f/iu.test(exchange.request.path)) return false;
  return isKnownClientRoute(exchange) && !mayBeServerAnswer(exchange);
}

/** Judges the form of the envelope wherever it is owed and the body arrived whole. */
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
  // What an engine wrote may be passed on as the engine calls it.
  if (mayBeForwarded(exchange, knowledge)) return;
  yield judgedAs(
    'router.envelope.content-type',
    type === 'application/json' || type?.endsWith('+json') === true,
    'The error envelope is not labelled as JSON.',
    { expected: 'application/json', actual: type ?? 'no Content-Type' },
    exchange,
  );
}

/** Statuses by which an HTTP server refuses a request before any route is chosen (RFC 9110, RFC 6585). */
const serverStatuses = new Set([408, 411, 414, 417, 421, 426, 431, 505]);

/** Statuses with which a proxy or load balancer answers in place of a server that it does not reach (RFC 9110 section 15.6). */
const proxyStatuses = new Set([502, 503, 504]);
/** Attempts after which what looks like the answer of a proxy is the deployment's own habit. */
const PASSING_ATTEMPTS = 2;

/**
 * True when an answer has neither mark of the router, its request id and its envelope, and the status of a
 * proxy in front that did not reach it: trouble on the way, unless it comes each time that the request is repeated.
 */
export function mayBeProxyAnswer(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response === undefined || !proxyStatuses.has(response.status)) return false;
  return (
    headerValue(response.headers, 'x-request-id') === undefined && membersOf(exchange) === undefined
  );
}

/** True when the request, as recorded, is not proper HTTP/1.1, so that a 400 may come from the server itself. */
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

/** Control characters, and bytes beyond ASCII that a server may refuse in a header. Names that stand for secrets are neither. */
function isOddText(text: string): boolean {
  return Buffer.from(text.replaceAll(/‹[^‹›]*›/gu, '')).some(
    (byte) => (byte < 0x20 && byte !== 0x09) || byte > 0x7e,
  );
}

/**
 * True when the answer may be that of an HTTP server in front of the routes, which promises neither
 * envelope nor headers. A 413 is a case of its own (router#codes/413) and not meant here.
 */
export function mayBeServerAnswer(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  if (status === undefined) return false;
  if (exchange.retries < PASSING_ATTEMPTS && mayBeProxyAnswer(exchange)) return true;
  return serverStatuses.has(status) || (status === 400 && isOddHttp(exchange));
}

/** True for a request that found no room, or no agent: the same one may be served a moment later. */
export const foundNoRoom = hasCode(
  'concurrency_limit_exceeded',
  'no_agents_available',
  'no_capacity',
  'queue_full',
);

/** True for an internal failure of the router: any request may meet one (router#codes/backend_error). */
export function isInternalFailure(exchange: Exchange): boolean {
  return exchange.response?.status === 500 && codeOf(exchange) === 'backend_error';
}
