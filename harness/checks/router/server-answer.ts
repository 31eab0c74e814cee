/** Tells the answers of a router from those that an HTTP server gives before it. */

import { type Exchange, headerValue, headerValues } from '../../exchange/exchange.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';

/** Statuses by which an HTTP server refuses a request before any route is chosen (RFC 9110, RFC 6585). */
const serverStatuses = new Set([408, 411, 414, 417, 421, 426, 431, 505]);

/** Statuses with which a proxy or load balancer answers in place of a server that it does not reach (RFC 9110 section 15.6). */
const frontStatuses = new Set([502, 503, 504]);
/** Attempts after which what looks like the answer of a proxy is the deployment's own habit. */
const PASSING_ATTEMPTS = 2;

/**
 * True when an answer has neither mark of the router, its request id and its envelope, and the status of a
 * proxy in front that did not reach it: trouble on the way, unless it comes each time that the request is repeated.
 */
export function mayBeFrontAnswer(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response === undefined || !frontStatuses.has(response.status)) return false;
  if (headerValue(response.headers, 'x-request-id') !== undefined) return false;
  const body = jsonBody(exchange);
  return !(body.ok && isObject(body.value));
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
  if (exchange.retries < PASSING_ATTEMPTS && mayBeFrontAnswer(exchange)) return true;
  return serverStatuses.has(status) || (status === 400 && isOddHttp(exchange));
}
