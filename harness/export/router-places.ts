/** Where each requirement of the router contract appears in the OpenAPI document. */

import { codeTable, isRouterCode, type RouterCode } from '../../schemas/router/codes.ts';
import type { PlaceRule, PlaceRules } from './openapi.ts';

/** Every code of the contract. */
export const routerCodes: readonly RouterCode[] = Object.keys(codeTable).filter(isRouterCode);

export const routerPlaces: PlaceRules = {
  endpoints: [
    [/^models-list-(?!hides )/u, 'schema:ModelList'],
    [/^chat-completions-/u, 'operation:chatCompletions'],
    [/ router#endpoints\/request-fields(?![\w-])/u, 'schema:InferenceRequest'],
    [/ router#endpoints\/get-(models?)(?![\w-])/u, 'operation:$1'],
    [/ router#endpoints\/(messages|embeddings|rerank)(?![\w-])/u, 'operation:$1'],
    [/ router#endpoints\/count-tokens(?![\w-])/u, 'operation:countTokens'],
    [/ router#endpoints\/admin-health(?![\w-])/u, 'operation:adminHealth'],
    [/ router#endpoints\/admin-routing-table(?![\w-])/u, 'operation:adminRoutingTable'],
  ],
  authentication: [
    [/^allowlist-/u, 'response:403'],
    [/^challenge-realm /u, 'header:WWW-Authenticate'],
    [/^refusal-/u, 'response:401'],
    [/^order-unsupported-route /u, 'document'],
    [/^\S*(?:on-admin|client-key-on)/u, 'security:adminKey'],
    [/^/u, 'security:clientKey'],
  ],
  envelope: [
    [/^(code|message|source) /u, 'property:Error.$1'],
    [/^(?:object|content-type) /u, 'schema:Error'],
    [/^oversize-body /u, 'response:413'],
  ],
  codes: [
    [/^known-codes /u, 'property:Error.code'],
    [/ router#endpoints\/model-required$/u, 'property:InferenceRequest.model'],
    ...routerCodes.map((code): PlaceRule => [
      new RegExp(` router#codes/${code}(?!\\w)`, 'u'),
      `response:${codeTable[code].statuses[0]}`,
    ]),
  ],
  'rate-limit-rules': 'response:429',
  'token-limit-rules': 'response:429',
  'backend-classification': 'operation:chatCompletions',
  'transparent-proxy': [
    [/^(messages|embeddings|rerank)-/u, 'operation:$1'],
    [/^count-tokens-/u, 'operation:countTokens'],
    [/^/u, 'response:502'],
  ],
  streaming: 'response:chatCompletions',
  'response-headers': [
    [/ router#(?:headers\/x-request-id|overview\/request-id|codes\/413)$/u, 'header:X-Request-ID'],
    [/ router#headers\/traceparent$/u, 'header:traceparent'],
    [/ router#headers\/www-authenticate$/u, 'header:WWW-Authenticate'],
    [
      / router#headers\/(?:remaining-requests|unlimited)$/u,
      'header:X-RateLimit-Remaining-Requests',
    ],
    [/ router#headers\/remaining-tokens$/u, 'header:X-RateLimit-Remaining-Tokens'],
    [/ router#headers\/retry-after$/u, 'header:Retry-After'],
  ],
  limits: [
    [/\/model-id-length$/u, 'property:InferenceRequest.model'],
    [/\/body-size/u, 'response:413'],
    [/^/u, 'response:400'],
  ],
  admission: [
    [/ .*(?:occupancy|shed|concurrency_limit|serverless)/u, 'response:429'],
    [/ .*(?:deadline|request_timeout|processor)/u, 'response:504'],
    [/^/u, 'response:503'],
  ],
};
