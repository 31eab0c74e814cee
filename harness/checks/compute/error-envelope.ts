/** Universal: the error envelope, and how codes and statuses pair up (compute#errors). */

import { codeOfStatus, conflictStatus } from '../../../schemas/compute/errors.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { errorOf } from './envelope.ts';

type Verdicts = Generator<UniversalJudgement<ComputeRequirementId>>;

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
 * Refusals that a web server or proxy in front makes before the service sees the request (timeout, request
 * line, header and body too large, misdirected, upgrade). The contract names none of them.
 */
const refusedInFront: ReadonlySet<number> = new Set([408, 411, 413, 414, 417, 421, 426, 431]);

/**
 * Whether an error status is the service's own word. Of the 5xx only 500 is in the contract's table; 502,
 * 503, 504 and their like come from proxies that know no envelope, and are transport trouble.
 */
function isServiceError(status: number): boolean {
  if (status === 500) return true;
  return status >= 400 && status < 500 && !refusedInFront.has(status);
}

/** Paths and queries as RFC 3986 has them: no brackets, quotes or bare percent signs. */
const target = /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[\dA-F]{2})*$/iu;

/**
 * Whether an answer says that its request was no HTTP: then a web server may have given it, which knows no envelope
 * and never shows the service such a request.
 */
function refusesItsTarget({ request, response }: Exchange): boolean {
  return response?.status === 400 && !(target.test(request.path) && target.test(request.query));
}

/** Whether the error answer to this request is the service's own word. */
export function isOwnError(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return isServiceError(status) && !refusesItsTarget(exchange);
}

function isCompleteEnvelope(error: Readonly<Record<string, unknown>> | undefined): boolean {
  return (
    typeof error?.['code'] === 'string' &&
    typeof error['message'] === 'string' &&
    typeof error['request_id'] === 'string'
  );
}

/** Judges a complete error answer of a documented operation. */
export function* errorEnvelope(exchange: Exchange): Verdicts {
  const status = exchange.response?.status ?? 0;
  if (status < 400) return;
  const error = errorOf(exchange);
  // A proxy's page says nothing; the service's envelope under a proxy's status is the service's word.
  if (!isOwnError(exchange) && !isCompleteEnvelope(error)) return;
  yield {
    requirement: 'compute.errors.envelope',
    judgement: expectThat(
      error !== undefined,
      `A ${status} came without the error envelope.`,
      { expected: 'an object with an error object in it', actual: bodyText(exchange) },
      exchange,
    ),
  };
  // Without an envelope its members are not wrong but absent: one finding is enough.
  if (error === undefined) return;
  yield { requirement: 'compute.errors.message-text', judgement: message(error, exchange) };
  yield { requirement: 'compute.errors.request-id-text', judgement: requestId(error, exchange) };
  yield* code(status, error['code'], exchange);
}

function message(error: Readonly<Record<string, unknown>>, exchange: Exchange): Judgement {
  return expectThat(
    typeof error['message'] === 'string',
    'The message of an error is not text.',
    { expected: 'text', actual: error['message'] },
    exchange,
  );
}

function requestId(error: Readonly<Record<string, unknown>>, exchange: Exchange): Judgement {
  const id = error['request_id'];
  return expectThat(
    typeof id === 'string' && id !== '',
    'The request id of an error is not text, or empty.',
    { expected: 'text that is not empty', actual: id },
    exchange,
  );
}

function* code(status: number, actual: unknown, exchange: Exchange): Verdicts {
  // The code of a 409 is not shown: it may be a seventh one, or any of the six.
  if (status === conflictStatus) {
    yield {
      requirement: 'compute.errors.status-409',
      judgement: expectThat(
        typeof actual === 'string' && actual !== '',
        'A 409 carries no code.',
        { expected: 'text that is not empty', actual },
        exchange,
      ),
    };
    return;
  }
  const known = typeof actual === 'string' && documentedCodes.includes(actual);
  yield {
    requirement: 'compute.errors.code-known',
    judgement: expectThat(
      known,
      `The code of a ${status} is none of the documented ones.`,
      { expected: documentedCodes.join(', '), actual },
      exchange,
    ),
  };
  for (const [documented, ofStatus, ofCode] of pairs) {
    const expected = codeOfStatus[documented];
    if (status === documented) {
      yield {
        requirement: `compute.errors.${ofStatus}`,
        judgement: expectThat(
          actual === expected,
          `A ${status} carries another code than ${expected}.`,
          { expected, actual },
          exchange,
        ),
      };
    }
    if (actual === expected) {
      yield {
        requirement: `compute.errors.${ofCode}`,
        judgement: expectThat(
          status === documented,
          `The code ${expected} came with status ${status}.`,
          { expected: documented, actual: status },
          exchange,
        ),
      };
    }
  }
}
