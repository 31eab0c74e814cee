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
  const startedAt = Date.UTC(2026, 10, 21, 12) + index * 130;
  const exchange =
    contract === 'compute'
      ? sampleExchange({ id: `c${index}`, target, startedAt })
      : { ...streamExchange(index), startedAt };
  const base = sampleOutcome({
    case: `${contract}/${section} › ${id}`,
    contract,
    section,
    target,
    judges: [id],
    seen: { [id]: 1 + (index % 30) },
    samples: { [id]: exchange.id },
    exchanges: [exchange],
    traffic: trafficOf(index),
    transitions: contract === 'compute' && index < 40 ? transitions : {},
    requests: 20,
    startedAt,
  });
  if (requirement.strength === 'open') {
    const recording = { requirement: id, note: 'answers 202', exchange: exchange.id };
    return { ...base, recordings: [recording] };
  }
  if (broken && index % 61 === 7) return { ...base, findings: [findingOf(id, exchange.id)] };
  if (requirement.needs !== undefined && index % 3 === 0)
    return { ...base, seen: {}, samples: {}, judges: [] };
  if (!broken || index !== 20) return base;
  return { ...base, gaps: [sampleGap(id, { kind: 'inconclusive', reason: 'it changed' })] };
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

function streamExchange(index: number): ReportedExchange {
  const pieces = [0, 1, 2, 3, 4].map((step) => ({
    atMs: 21 + step * 14.2,
    text: step === 4 ? 'data: [DONE]' : `data: {"choices":[{"delta":{"content":"word ${step}"}}]}`,
  }));
  const body = '{"model":"scripted-chat","stream":true}';
  const text = pieces.map((piece) => `${piece.text}\n\n`).join('');
  return sampleExchange({
    id: `r${index}`,
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

/** A few answers of each status, of an operation that the index chooses. */
function trafficOf(index: number): CaseOutcome['traffic'] {
  const operation = `GET /list-${index % 5}`;
  return [200, 400, 503].map((status, place) => ({
    operation,
    status,
    code: status === 200 ? '' : `CODE_${status}`,
    count: 4 + place,
    latencies: [2 + (index % 9), 3 + ((index * place) % 40), 9 + place ** 3],
  }));
}
