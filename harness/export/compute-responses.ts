/** The error responses of the compute contract, one for each status. */

import { codeOfStatus, conflictStatus } from '../../schemas/compute/errors.ts';
import { retryAfterSchema } from '../../schemas/compute/wire.ts';
import { type JsonObject, jsonSchemaOf } from './json.ts';
import { json, type Refer } from './openapi.ts';
import type { Placement } from './placement.ts';

/** The header that every 429 carries. */
export function retryAfter(placement: Placement): JsonObject {
  return {
    description: 'Whole seconds to wait.',
    required: true,
    schema: jsonSchemaOf(retryAfterSchema),
    ...placement.at('header:Retry-After'),
  };
}

/** References to error responses; any other error has the same envelope. */
export function errors(...statuses: readonly number[]): JsonObject {
  return Object.fromEntries(
    [...statuses.map(String), 'default'].map((status) => [
      status,
      { $ref: `#/components/responses/${status === 'default' ? 'Other' : status}` },
    ]),
  );
}

/** The error responses that the operations refer to, by status. */
export function errorResponses(placement: Placement, refer: Refer): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const [status, code] of Object.entries(codeOfStatus)) {
    responses[status] = {
      description: code,
      ...(status === '429'
        ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }
        : {}),
      content: json(withCode(refer('Error'), { const: code })),
      ...placement.at(`response:${status}`),
    };
  }
  responses[conflictStatus] = {
    description: 'The state of the instance forbids it. The code is open.',
    content: json(refer('Error')),
    ...placement.at(`response:${conflictStatus}`),
  };
  responses['Other'] = {
    description: 'Any other error.',
    content: json(withCode(refer('Error'), { enum: Object.values(codeOfStatus) })),
  };
  return responses;
}

/** The envelope with what its code must be. */
function withCode(envelope: JsonObject, code: JsonObject): JsonObject {
  return {
    allOf: [
      envelope,
      { type: 'object', properties: { error: { type: 'object', properties: { code } } } },
    ],
  };
}
