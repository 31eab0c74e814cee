/** A whole run made up over the real catalogues, with some of everything in it, for tests of the reports. */

import { computeCatalogue, computeClauses } from '../schemas/compute/catalogue.ts';
import type { ReportedExchange } from '../schemas/exchange.ts';
import type { CaseOutcome } from '../schemas/outcome.ts';
import type { ConformanceReport } from '../schemas/report.ts';
import type { Contract, Requirement } from '../schemas/requirement.ts';
import { routerCatalogue, routerClauses } from '../schemas/router/catalogue.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleOutcome,
  sampleReport,
  sampleTarget,
} from './sample.test.support.ts';

const compute: readonly Requirement[] = Object.values(computeCatalogue);
const router: readonly Requirement[] = Object.values(routerCatalogue);

/** One broken compute target and one healthy router, with latencies and exchanges. */
export function sampleRun(
  contracts: readonly Contract[] = ['compute', 'router'],
): ConformanceReport {
  const targets = contracts.map((contract) =>
    contract === 'compute' ? sampleTarget('staging-eu') : sampleTarget('edge', 'router'),
  );
  return sampleReport({
    targets,
    catalogue: [...compute, ...router],
    clauses: { compute: computeClauses, router: routerClauses },
    outcomes: [
      ...compute.map((requirement, index) => outcomeOf(requirement, index, 'staging-eu', true)),
      ...router.map((requirement, index) => outcomeOf(requirement, index, 'edge', false)),
    ].filter(({ target }) => targets.some(({ name }) => name === target)),
  });
}

function outcomeOf(
  requirement: Requirement,
  index: number,
  target: string,
  broken: boolean,
): CaseOutcome {
  const { id, contract, section } = requirement;
  const exchange = contract === 'compute' ? computeExchange(index) : streamExchange(index);
  const base = sampleOutcome({
    case: `${contract}/${section} › ${id}`,
    contract,
    section,
    target,
    judges: [id],
    seen: { [id]: 1 + (index % 30) },
    samples: { [id]: exchange.id },
    exchanges: [exchange],
    traffic: trafficOf(contract, index),
    transitions: contract === 'compute' && index < 40 ? transitions : {},
    requests: 20,
    startedAt: Date.UTC(2026, 10, 21, 12) + index * 130,
  });
  if (requirement.strength === 'open') {
    return {
      ...base,
      recordings: [{ requirement: id, note: 'answers 202 with the record', exchange: exchange.id }],
    };
  }
  if (broken && index % 61 === 7) return { ...base, findings: [findingOf(id, exchange.id)] };
  if (requirement.needs !== undefined && index % 3 === 0)
    return { ...base, seen: {}, samples: {}, judges: [] };
  if (broken && index === 20) {
    return {
      ...base,
      gaps: [
        sampleGap(id, {
          kind: 'inconclusive',
          reason: 'the account changed while it was read, three times',
        }),
      ],
    };
  }
  return base;
}

function findingOf(requirement: string, exchange: string): CaseOutcome['findings'][number] {
  return sampleFinding(requirement, {
    expected: '{"code":"VALIDATION_ERROR","status":400,"header":"integer seconds"}',
    actual: '{"code":"BAD_REQUEST","status":422,"header":"integer seconds"}',
    message: 'GET /instances answered 422 where it refuses a page size of 201.',
    exchanges: [exchange],
    counterexample: { value: '{"size":201,"sort_field":"NAME"}', seed: 42, path: '3:0:1' },
  });
}

function computeExchange(index: number): ReportedExchange {
  return sampleExchange({
    id: `c${index}`,
    target: 'staging-eu',
    startedAt: Date.UTC(2026, 10, 21, 12) + index,
  });
}

function streamExchange(index: number): ReportedExchange {
  const pieces = [0, 1, 2, 3, 4].map((step) => ({
    atMs: 21 + step * 14.2,
    text: step === 4 ? 'data: [DONE]' : `data: {"choices":[{"delta":{"content":"word ${step}"}}]}`,
  }));
  const body = JSON.stringify({
    model: 'scripted-chat',
    stream: true,
    messages: [{ role: 'user', content: "it's" }],
  });
  const text = pieces.map((piece) => `${piece.text}\n\n`).join('');
  return sampleExchange({
    id: `r${index}`,
    target: 'edge',
    operation: 'POST /v1/chat/completions',
    request: {
      method: 'POST',
      url: 'https://router.example.com/v1/chat/completions',
      headers: [
        ['authorization', 'Bearer [redacted: keys.client]'],
        ['content-type', 'application/json'],
      ],
      body: { text: body, bytes: body.length },
      credential: 'client',
    },
    response: {
      status: 200,
      headers: [
        ['content-type', 'text/event-stream'],
        ['x-request-id', '5f0c7b0e-9a63-4c3e-9f3e-3d6a1d9f8b11'],
      ],
      body: { text, bytes: text.length },
      timeline: pieces,
    },
    startedAt: Date.UTC(2026, 10, 21, 12) + index,
    durationMs: 84,
  });
}

const transitions = {
  'CREATED>DEPLOYED': 1,
  'DEPLOYED>STARTING': 1,
  'STARTING>RUNNING': 2,
  'RUNNING>STOPPING': 3,
  'RUNNING>STOPPED': 1,
  'STOPPED>STARTING': 1,
  'STARTING>ERRORED': 1,
  'STOPPED>TERMINATING': 2,
};

const answers: Readonly<Record<Contract, readonly (readonly [string, number, string])[]>> = {
  compute: [
    ['GET /instances', 200, ''],
    ['GET /instances', 400, 'VALIDATION_ERROR'],
    ['GET /instances', 401, 'UNAUTHORIZED'],
    ['GET /instances/{id}', 200, ''],
    ['GET /instances/{id}', 404, 'NOT_FOUND'],
    ['POST /instances/{id}/stop', 202, ''],
    ['POST /instances/{id}/stop', 409, 'CONFLICT'],
    ['GET /regions', 200, ''],
    ['GET /presets', 200, ''],
    ['GET /presets', 429, 'TOO_MANY_REQUESTS'],
  ],
  router: [
    ['POST /v1/chat/completions', 200, ''],
    ['POST /v1/chat/completions', 400, 'request_invalid'],
    ['POST /v1/chat/completions', 429, 'rate_limit_exceeded'],
    ['POST /v1/chat/completions', 503, 'no_capacity'],
    ['POST /v1/messages', 502, 'backend_error'],
    ['GET /v1/models', 200, ''],
    ['GET /v1/models', 401, 'unauthorized'],
    ['GET /admin/health', 200, ''],
  ],
};

function trafficOf(contract: Contract, index: number): CaseOutcome['traffic'] {
  return (answers[contract] ?? [])
    .filter((_, place) => (index + place) % 4 === 0)
    .map(([operation, status, code], place) => ({
      operation,
      status,
      code,
      count: 4 + place,
      latencies: [2 + (index % 9), 3 + ((index * place) % 40), 9 + place ** 3],
    }));
}
