/** Codes: the table of codes with status and source, and the conditions of single codes. */

import { chat } from './needs.ts';
import type { ErrorSource } from './envelope.ts';
import {
  cited,
  clause,
  excluded,
  implied,
  open,
  type Part,
  section,
  stated,
} from '../requirement.ts';

export interface CodeRow {
  readonly statuses: readonly number[];
  readonly sources: readonly ErrorSource[];
  /** True if the document gives only the usual source. */
  readonly usually?: true;
}

/** The code table (router#codes) without the bare 413, which has no code. */
export const codeTable = {
  request_invalid: { statuses: [400], sources: ['router'] },
  context_length_exceeded: { statuses: [400], sources: ['backend'] },
  invalid_parameter: { statuses: [400], sources: ['backend'], usually: true },
  input_too_long: { statuses: [400], sources: ['router'] },
  unauthorized: { statuses: [401], sources: ['router'] },
  model_forbidden: { statuses: [403], sources: ['router'] },
  model_not_found: { statuses: [404], sources: ['router'] },
  rate_limit_exceeded: { statuses: [429], sources: ['router'] },
  token_limit_exceeded: { statuses: [429], sources: ['router'] },
  concurrency_limit_exceeded: { statuses: [429], sources: ['router'] },
  no_agents_available: { statuses: [503], sources: ['router'] },
  no_capacity: { statuses: [503], sources: ['router'] },
  agent_disconnected: { statuses: [503], sources: ['router'] },
  backend_unavailable: { statuses: [503], sources: ['backend'] },
  queue_full: { statuses: [503], sources: ['router'] },
  backend_error: { statuses: [500, 502], sources: ['router', 'backend'] },
  request_timeout: { statuses: [504], sources: ['router'] },
} as const satisfies Readonly<Record<string, CodeRow>>;

export type RouterCode = keyof typeof codeTable;
/** Codes with one source in the table; backend_error may have either. */
export type SourcedCode = Exclude<RouterCode, 'backend_error'>;

/** True for a code of the code table. */
export function isRouterCode(code: string): code is RouterCode {
  return Object.hasOwn(codeTable, code);
}

type Entries = Readonly<Record<string, ReturnType<typeof stated>>>;

/** The clause of one row: requirements on the status and source of the code, and the given further ones. */
function row<const C extends RouterCode, const E extends Entries>(
  code: C,
  entries: E,
): Part<`${C}-status` | `${Extract<C, SourcedCode>}-source` | (keyof E & string)> {
  const { statuses, sources, usually }: CodeRow = codeTable[code];
  const says = usually === true ? implied : stated;
  const rule = usually === true ? ', as a rule' : '';
  const source = `The code ${code} comes with source ${sources.join(' or ')}${rule}.`;
  const all: Entries = {
    [`${code}-status`]: stated.universal(
      `The code ${code} comes with status ${statuses.join(' or ')}.`,
    ),
    ...(sources.length === 1 ? { [`${code}-source`]: says.universal(source) } : {}),
    ...entries,
  };
  return clause(`codes/${code}`, `Errors, Codes: ${code}`, all);
}

export const codes = section('router', 'codes', [
  clause('endpoints/model-required', 'Endpoints: second point, required model', {
    'missing-model-chat': stated('A chat completion without `model` is request_invalid.'),
    'missing-model-proxy': stated(
      'On each transparent proxy route a body without `model` is request_invalid.',
    ),
    'model-not-text': implied(
      'A `model` that is a number, null, a list or an object is request_invalid.',
    ),
    'body-not-object': stated('A body that is JSON but no object is request_invalid.'),
    'model-empty': open('Whether an empty `model` counts as missing or as unknown.'),
  }),
  clause('codes', 'Errors, Codes: the list as a whole', {
    'known-codes': implied.universal(
      'The code of an error on a known client route is one of the table.',
      { judged: 'implied: the table has a catch-all, but does not say that it is complete' },
    ),
  }),
  row('request_invalid', {
    'malformed-json-chat': stated('A chat completion whose body is not JSON is request_invalid.'),
    'malformed-json-proxy': stated(
      'On each transparent proxy route a body that is not JSON is request_invalid.',
    ),
    'empty-body-chat': stated('A chat completion with an empty body is request_invalid.'),
    'empty-body-proxy': stated('On each transparent proxy route an empty body is request_invalid.'),
    'invalid-utf-8': implied(
      'A body that is not valid UTF-8 is request_invalid, unless it is read all the same.',
    ),
    'request-invalid-reaches-no-engine': chat.stated(
      'A chat request for a served model that is malformed reaches no engine.',
    ),
    'capability-mismatch': stated(
      'A model used for what its engine cannot do is request_invalid or no_agents_available.',
      {
        judged:
          'an embedding model on the chat route, a chat model on the routes that embed and rank; an engine that answers all the same proves nothing',
        needs: ['backend', 'models.embedding'],
      },
    ),
    'duplicate-members': open('What a body with the member `model` twice leads to.'),
    'deep-nesting': open('What a very deeply nested body leads to.'),
  }),
  clause('codes/request_invalid/agent', 'Errors, Codes: request_invalid, parsing inside an agent', {
    'unreadable-fields': open(
      'What fields of a wrong type lead to that a router need not read and an agent may.',
    ),
  }),
  row('context_length_exceeded', {}),
  row('invalid_parameter', {}),
  row('input_too_long', {}),
  row('unauthorized', {}),
  row('model_forbidden', {}),
  row('model_not_found', {
    'unknown-model-chat': stated(
      'A chat completion for a model that no agent registers is model_not_found.',
    ),
    'unknown-model-proxy': stated(
      'On each transparent proxy route an unregistered model is model_not_found.',
    ),
    'unknown-model-detail': stated(
      'The detail of a model that no agent registers is model_not_found.',
    ),
    'model-id-exact': stated(
      'An id that differs from a listed one by case, or by what stands before or behind it, is model_not_found.',
      { judged: 'only with an id that the list does not show' },
    ),
  }),
  row('rate_limit_exceeded', {}),
  row('token_limit_exceeded', {}),
  row('concurrency_limit_exceeded', {}),
  row('no_agents_available', {
    'no-agents-available': stated(
      'A registered model without an eligible agent is no_agents_available.',
      ['models.noAgents'],
    ),
  }),
  row('no_capacity', {}),
  row('agent_disconnected', {
    'agent-gone': stated(
      'A model whose only agent cannot be reached is agent_disconnected or no_agents_available.',
      {
        judged:
          'a model_not_found shows nothing: whether a registration outlives its agent is open',
        needs: ['models.agentGone'],
      },
    ),
  }),
  row('backend_unavailable', {
    'dead-backend': stated(
      'An engine that cannot be reached shows as backend_unavailable or as the end of retries.',
      {
        judged:
          'backend_unavailable, no_agents_available or no_capacity; a model_not_found shows nothing, as the agent may register it no more',
        needs: ['models.deadBackend'],
      },
    ),
  }),
  row('queue_full', {}),
  row('backend_error', {
    'backend_error-forwarded-status': implied.universal(
      'A backend_error that names the backend as its source comes with status 502.',
      { judged: 'implied: the document says normally, and that some internal failures are 500' },
    ),
  }),
  row('request_timeout', {}),
  cited('retry-behaviour/4', {
    'agent-gone-final-code': open('With which code an unreachable agent comes out.', [
      'models.agentGone',
    ]),
    'dead-backend-final-code': open('With which code an unreachable engine comes out.', [
      'models.deadBackend',
    ]),
  }),
  excluded.advice('client-handling', 'Errors, Client handling by code'),
  ...[...Object.keys(codeTable), '413'].map((code) =>
    excluded.advice(`client-handling/${code}`, `Errors, Client handling by code: ${code}`),
  ),
]);
