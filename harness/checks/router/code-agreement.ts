/** Code, status and source of an error agree with the code table. */

import {
  codeTable,
  isRouterCode,
  type CodeRow,
  type RouterCode,
} from '../../../schemas/router/codes.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { judgedAs } from '../universal.ts';
import { codeOf, envelopeOf, owesEnvelope, type SaidError } from './envelope.ts';
import {
  isKnownClientRoute,
  mayBeForwarded,
  type RouterKnowledge,
  type RouterVerdicts,
} from './route.ts';

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
  if (status === 401) yield* refusal(exchange, error);
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
