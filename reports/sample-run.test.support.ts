/** A handmade run with everything that may occur in one, for tests of the reports. */

import type { ReportedExchange } from '../schemas/exchange.ts';
import type { CaseOutcome } from '../schemas/outcome.ts';
import type { ConformanceReport } from '../schemas/report.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleGap,
  type SampleInput,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from './sample.test.support.ts';

/** The id of a requirement of the sample. */
export const id = (slug: string): string => `compute.list.${slug}`;
const gap = (slug: string, told: Partial<CaseOutcome['gaps'][number]>) =>
  sampleGap(id(slug), { reason: 'the account is empty', ...told });
const deviation = (slug: string, expires = '2030-01-01') => ({
  requirement: id(slug),
  reason: 'old proxy',
  link: 'https://tracker.example/1',
  expires,
});

const second = { reason: 'needs a second key', line: 'keys: { second: ${K} }' };
const quota = {
  reason: 'a quota of 60 requests a minute does not tell how fast it fills',
  line: 'keys: { requestsPerMinute: { key: ${K}, limit: 120 } }',
};

/** A run of one target with every kind of outcome. */
export const everyKind = {
  catalogue: [
    'broken',
    'erred',
    'held',
    'late',
    'partly',
    'empty',
    'lacking',
    'unclear',
    'waived',
    'expired',
    'healed',
  ]
    .map((slug) => sampleRequirement(id(slug)))
    .concat(
      sampleRequirement(id('quota'), { needs: ['keys.second'] }),
      sampleRequirement(id('untried'), { needs: ['keys.second'] }),
      sampleRequirement(id('warned'), { strength: 'implied' }),
      sampleRequirement(id('also-lacking'), { strength: 'implied' }),
      sampleRequirement(id('open'), { strength: 'open' }),
    ),
  outcomes: [
    {
      judges: ['broken', 'held', 'unclear', 'lacking'].map(id),
      seen: Object.fromEntries(
        ['held', 'late', 'partly', 'healed', 'open'].map((slug) => [id(slug), 1]),
      ),
      tries: { [id('late')]: 3 },
      samples: { [id('held')]: 'e2' },
      exchanges: [sampleExchange(), sampleExchange({ id: 'e2' })],
      findings: [
        sampleFinding(id('broken'), {
          exchanges: ['e1'],
          counterexample: { property: 'sizes', value: '201', seed: 1, path: '0:0' },
        }),
        ...['warned', 'waived', 'expired'].map((slug) => sampleFinding(id(slug))),
      ],
      gaps: [
        gap('unclear', { kind: 'inconclusive', reason: 'the account was busy' }),
        gap('empty', {}),
        gap('partly', {}),
        gap('lacking', second),
        gap('also-lacking', second),
        gap('quota', quota),
      ],
      properties: [{ name: 'sizes', runs: 20, informative: 19, seed: 1 }],
      requests: 12,
      retries: 2,
    },
    {
      case: 'compute/list-instances › throws',
      judges: [id('erred')],
      errors: [{ message: 'TypeError: x', stack: undefined }],
    },
  ],
  deviations: [deviation('waived'), deviation('expired', '2026-11-01'), deviation('healed')],
} satisfies SampleInput;

const others = ['errors', 'pagination', 'presets', 'regions', 'states'].map(
  (section) => `compute.${section}.held`,
);
const streamed = 'router.streaming.held';

/** The same with a conforming router as a second target, and with traffic, state changes and a stream. */
export function sampleRun(): ConformanceReport {
  return sampleReport({
    ...everyKind,
    catalogue: [...everyKind.catalogue, ...others, streamed],
    targets: [sampleTarget(), sampleTarget('edge', 'router')],
    outcomes: [
      ...everyKind.outcomes,
      {
        case: 'compute/states › lives',
        seen: Object.fromEntries(others.map((other) => [other, 1])),
        traffic: trafficOf('GET /instances'),
        transitions: { 'CREATED>DEPLOYED': 1, 'RUNNING>STOPPED': 3, 'STARTING>ERRORED': 1 },
      },
      {
        case: 'router/streaming › streams',
        contract: 'router',
        section: 'streaming',
        target: 'edge',
        seen: { [streamed]: 1 },
        samples: { [streamed]: 'r1' },
        exchanges: [streamExchange()],
        traffic: trafficOf('POST /v1/chat/completions'),
      },
    ],
  });
}

function streamExchange(): ReportedExchange {
  const pieces = [0, 1, 2, 3, 4].map((step) => ({
    atMs: 21 + step * 14.2,
    text: step === 4 ? 'data: [DONE]' : `data: {"choices":[{"delta":{"content":"word ${step}"}}]}`,
  }));
  const body = '{"model":"scripted-chat","stream":true}';
  const text = pieces.map((piece) => `${piece.text}\n\n`).join('');
  return sampleExchange({
    id: 'r1',
    target: 'edge',
    operation: 'POST /v1/chat/completions',
    request: {
      method: 'POST',
      url: 'https://router.example.com/v1/chat/completions',
      headers: [['content-type', 'application/json']],
      body: { text: body, bytes: body.length },
      credential: 'client',
    },
    response: {
      status: 200,
      headers: [['content-type', 'text/event-stream']],
      body: { text, bytes: text.length },
      timeline: pieces,
    },
    durationMs: 84,
  });
}

/** A few responses of each status. */
function trafficOf(operation: string): CaseOutcome['traffic'] {
  return [200, 400, 503].map((status, place) => ({
    operation,
    status,
    code: status === 200 ? '' : `CODE_${status}`,
    count: 4 + place,
    latencies: [2, 3 + 20 * place, 9 + place ** 3],
  }));
}
