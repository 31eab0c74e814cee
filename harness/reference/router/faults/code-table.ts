/** Codes with a status or a source that contradicts the table of codes. */

import {
  answering,
  asStream,
  every,
  faultTable,
  gathered,
  on,
  onChat,
  type When,
  withError,
} from './words.ts';
import type { Reply } from '../../http.ts';

const WORDING = 'backend-classification.wording-any-order-and-case';

/** A code with a wrong status and a wrong source. */
type Row = readonly [code: string, status: number, source: 'router' | 'backend', more?: More];

interface More {
  /** The responses that are wrong (default: all with this code). */
  readonly where?: readonly [name: string, when: When];
  /** Further requirements that the wrong status breaks. */
  readonly withStatus?: string;
  readonly withSource?: string;
  /** A requirement whose cases provoke the code, given for rare codes. */
  readonly metBy?: string;
}

const table: readonly Row[] = [
  ['request_invalid', 422, 'backend', { where: ['rerank', on({ path: '/v1/rerank' })] }],
  ['context_length_exceeded', 422, 'router', { metBy: WORDING }],
  ['invalid_parameter', 422, 'router', { metBy: 'backend-classification.type-over-other-status' }],
  ['input_too_long', 422, 'backend', { metBy: 'limits.input-tokens-over' }],
  [
    'unauthorized',
    403,
    'backend',
    {
      where: ['detail', on({ path: /^\/v1\/models\//u })],
      withStatus:
        'router.authentication.missing-on-models + router.authentication.unknown-on-models + router.authentication.x-api-key-on-models',
      withSource: 'router.authentication.refusal-source',
    },
  ],
  [
    'model_forbidden',
    404,
    'backend',
    {
      where: ['embeddings', on({ path: '/v1/embeddings' })],
      withStatus: 'router.authentication.allowlist-denies-proxy',
      metBy: 'authentication.allowlist-denies-proxy',
    },
  ],
  [
    'model_not_found',
    400,
    'backend',
    { where: ['count-tokens', on({ path: '/v1/messages/count_tokens' })] },
  ],
  ['rate_limit_exceeded', 503, 'backend'],
  ['token_limit_exceeded', 403, 'backend', { metBy: 'retry-behaviour.token-limit-stops' }],
  ['concurrency_limit_exceeded', 503, 'backend', { metBy: 'admission.shed-refused' }],
  ['no_agents_available', 502, 'backend'],
  ['no_capacity', 429, 'backend'],
  ['agent_disconnected', 502, 'backend'],
  ['backend_unavailable', 502, 'router', { where: ['streams', every(onChat, asStream)] }],
  ['queue_full', 429, 'backend', { metBy: 'admission.queue-full' }],
  ['backend_error', 503, 'router', { metBy: 'backend-classification.unknown-type' }],
  ['request_timeout', 503, 'backend', { metBy: 'admission.timeout-at-engine' }],
];

const slugOf = (code: string): string => code.replaceAll('_', '-');

/** A row of the fault table: responses of `row` with a wrong member. */
function wrong(
  [code, , , { where, metBy }]: Required<Row>,
  member: string,
  value: string,
  besides: string | undefined,
  change: (reply: Reply) => Reply,
) {
  const broken = `${code}-${member}${besides === undefined ? '' : ` + ${besides}`}`;
  const met = metBy === undefined ? '' : `, met by router.${metBy}`;
  const place = where === undefined ? '' : `-on-${where[0]}`;
  const when = where === undefined ? on({ code }) : every(on({ code }), where[1]);
  return { [`${broken}${met}: ${slugOf(code)}-${value}${place}`]: answering(when, change) };
}

const wrongStatus = ([code, status, source, more = {}]: Row) =>
  wrong([code, status, source, more], 'status', `is-${status}`, more.withStatus, (reply) => ({
    ...reply,
    status,
  }));

const wrongSource = ([code, status, source, more = {}]: Row) =>
  wrong([code, status, source, more], 'source', `from-${source}`, more.withSource, (reply) =>
    withError(reply, { source }),
  );

export const codeTableFaults = faultTable('router.codes', {
  ...gathered(table, wrongStatus),
  ...wrongStatus(['context_length_exceeded', 413, 'router', { metBy: WORDING }]),
  ...gathered(
    table.filter(([code]) => code !== 'backend_error'),
    wrongSource,
  ),
});
