/** The responses and headers of the router contract. */

import { codeTable, isRouterCode, type RouterCode } from '../../schemas/router/codes.ts';
import {
  remaining,
  requestId,
  retryAfterSeconds,
  traceparent,
} from '../../schemas/router/response-headers.ts';
import { type JsonObject, jsonSchemaOf } from './json.ts';
import { json, type Refer } from './openapi.ts';
import type { Placement } from './placement.ts';

/** The one status with neither code nor body of its own (router#codes/413). */
const OVERSIZE = 413;

const codes: readonly RouterCode[] = Object.keys(codeTable).filter(isRouterCode);

/** Every status that the code table has, in order. */
const statuses: readonly number[] = [
  ...new Set(codes.flatMap((code): readonly number[] => codeTable[code].statuses)),
].toSorted((one, other) => one - other);

/** The headers of the contract as components. */
export function routerHeaders(placement: Placement): JsonObject {
  const header = (name: string, required: boolean, description: string, schema: JsonObject) => ({
    [name]: { description, required, schema, ...placement.at(`header:${name}`) },
  });
  return {
    ...header('X-Request-ID', true, 'Names the request; never a key that makes a request unique.', {
      ...jsonSchemaOf(requestId),
    }),
    ...header('traceparent', false, 'W3C trace context, where there is a span.', {
      ...jsonSchemaOf(traceparent),
    }),
    ...header('WWW-Authenticate', true, 'A Bearer challenge with a realm.', { type: 'string' }),
    ...header(
      'X-RateLimit-Remaining-Requests',
      false,
      'For keys with a finite number of requests.',
      jsonSchemaOf(remaining),
    ),
    ...header(
      'X-RateLimit-Remaining-Tokens',
      false,
      'For keys with a finite number of tokens a day.',
      jsonSchemaOf(remaining),
    ),
    ...header(
      'Retry-After',
      false,
      'Whole seconds; on concurrency_limit_exceeded and on the limits of serverless policies alone.',
      jsonSchemaOf(retryAfterSeconds),
    ),
  };
}

/** References to headers, for a response; every answer has these, and those that are named beside them. */
export function withHeaders(...more: readonly string[]): JsonObject {
  const names = ['X-Request-ID', 'traceparent', ...more];
  return {
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}

/** Error responses by status, as components. */
export function routerErrors(placement: Placement, refer: Refer): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const status of statuses) {
    const here = codesOf(status);
    responses[status] = {
      description: here.join(', '),
      ...withHeaders(...headersOf(status)),
      content: json(envelopeAt(status, refer)),
      ...placement.at(`response:${status}`),
    };
  }
  responses[OVERSIZE] = {
    description: 'The body is over the size limit. Neither body nor code is promised.',
    ...placement.at(`response:${OVERSIZE}`),
  };
  return responses;
}

/** References to the error responses of a client route. */
export function clientErrors(): JsonObject {
  return Object.fromEntries(
    [...statuses, OVERSIZE].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
}

function headersOf(status: number): readonly string[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status !== 429) return [];
  return ['Retry-After', 'X-RateLimit-Remaining-Requests', 'X-RateLimit-Remaining-Tokens'];
}

function codesOf(status: number): readonly RouterCode[] {
  return codes.filter((code) =>
    codeTable[code].statuses.some((candidate: number) => candidate === status),
  );
}

/**
 * The envelope on one status: a code that the table gives to other statuses may not stand here, and a code of the
 * table comes from where the table says. Codes that the table does not have are not excluded.
 */
function envelopeAt(status: number, refer: Refer): JsonObject {
  const here = codesOf(status);
  const elsewhere = codes.filter((code) => !here.includes(code));
  const inside = (schema: JsonObject): JsonObject => ({
    type: 'object',
    properties: { error: { type: 'object', ...schema } },
  });
  return {
    allOf: [
      refer('Error'),
      inside({ properties: { code: { not: { enum: elsewhere }, examples: here } } }),
      ...here
        .filter((code) => !('usually' in codeTable[code]))
        .map((code) =>
          inside({
            if: { properties: { code: { const: code } }, required: ['code'] },
            // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
            then: { properties: { source: { enum: [...codeTable[code].sources] } } },
          }),
        ),
    ],
  };
}
