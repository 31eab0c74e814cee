/** Codes with a status or a source that the table does not give them. */

import {
  answering,
  asStream,
  every,
  faultTable,
  gathered,
  on,
  onPath,
  type When,
  withCode,
  withError,
} from './words.ts';

interface Row {
  readonly code: string;
  /** A status that the code does not have. */
  readonly status: number;
  /** The source that the code does not have. */
  readonly source: 'router' | 'backend';
  /** The only answers that are wrong; all with the code unless told. */
  readonly where?: { readonly name: string; readonly when: When };
  /** What else breaks with the status. */
  readonly withStatus?: readonly string[];
  readonly withSource?: readonly string[];
  /** A requirement whose cases bring the code about, for those with few. */
  readonly exercisedBy?: string;
}

const chat = '/v1/chat/completions';

const contextLength = {
  code: 'context_length_exceeded',
  source: 'router',
  exercisedBy: 'router.backend-classification.wording-any-order-and-case',
} as const;

const rows: readonly Row[] = [
  {
    code: 'request_invalid',
    status: 422,
    source: 'backend',
    where: { name: 'rerank', when: on({ path: '/v1/rerank' }) },
  },
  { ...contextLength, status: 422 },
  {
    code: 'invalid_parameter',
    status: 422,
    source: 'router',
    exercisedBy: 'router.backend-classification.type-over-other-status',
  },
  {
    code: 'input_too_long',
    status: 422,
    source: 'backend',
    exercisedBy: 'router.limits.input-tokens-over',
  },
  {
    code: 'unauthorized',
    status: 403,
    source: 'backend',
    where: { name: 'detail', when: onPath(/^\/v1\/models\//u) },
    withStatus: [
      'router.authentication.missing-on-models',
      'router.authentication.unknown-on-models',
      'router.authentication.x-api-key-on-models',
    ],
    withSource: ['router.authentication.refusal-source'],
  },
  {
    code: 'model_forbidden',
    status: 404,
    source: 'backend',
    where: { name: 'embeddings', when: on({ path: '/v1/embeddings' }) },
    withStatus: ['router.authentication.allowlist-denies-proxy'],
    exercisedBy: 'router.authentication.allowlist-denies-proxy',
  },
  {
    code: 'model_not_found',
    status: 400,
    source: 'backend',
    where: { name: 'count-tokens', when: on({ path: '/v1/messages/count_tokens' }) },
  },
  { code: 'rate_limit_exceeded', status: 503, source: 'backend' },
  {
    code: 'token_limit_exceeded',
    status: 403,
    source: 'backend',
    exercisedBy: 'router.retry-behaviour.token-limit-stops',
  },
  {
    code: 'concurrency_limit_exceeded',
    status: 503,
    source: 'backend',
    exercisedBy: 'router.admission.shed-refused',
  },
  { code: 'no_agents_available', status: 502, source: 'backend' },
  { code: 'no_capacity', status: 429, source: 'backend' },
  { code: 'agent_disconnected', status: 502, source: 'backend' },
  {
    code: 'backend_unavailable',
    status: 502,
    source: 'router',
    where: { name: 'streams', when: every(on({ path: chat }), asStream) },
  },
  {
    code: 'queue_full',
    status: 429,
    source: 'backend',
    exercisedBy: 'router.admission.queue-full',
  },
  {
    code: 'backend_error',
    status: 503,
    source: 'router',
    exercisedBy: 'router.backend-classification.unknown-type',
  },
  {
    code: 'request_timeout',
    status: 503,
    source: 'backend',
    exercisedBy: 'router.admission.timeout-at-engine',
  },
];

const slugOf = (code: string): string => code.replaceAll('_', '-');

function nameOf(what: string, { where }: Row): string {
  return where === undefined ? what : `${what}-on-${where.name}`;
}

function isMeant({ code, where }: Row) {
  return where === undefined ? withCode(code) : every(withCode(code), where.when);
}

const wrongStatus = (row: Row) => ({
  [`${row.code}-status: ${nameOf(`${slugOf(row.code)}-is-${row.status}`, row)}`]: {
    besides: row.withStatus ?? [],
    exercisedBy: row.exercisedBy === undefined ? [] : [row.exercisedBy],
    patch: answering(isMeant(row), (reply) => ({ ...reply, status: row.status })),
  },
});

const wrongSource = (row: Row) => ({
  [`${row.code}-source: ${nameOf(`${slugOf(row.code)}-from-${row.source}`, row)}`]: {
    besides: row.withSource ?? [],
    exercisedBy: row.exercisedBy === undefined ? [] : [row.exercisedBy],
    patch: answering(isMeant(row), (reply) => withError(reply, { source: row.source })),
  },
});

export const codeTableFaults = faultTable('router.codes', {
  ...gathered(rows, wrongStatus),
  ...wrongStatus({ ...contextLength, status: 413 }),
  ...gathered(
    rows.filter(({ code }) => code !== 'backend_error'),
    wrongSource,
  ),
});
