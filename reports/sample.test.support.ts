/** Handmade outcomes for tests of the reports, which need no run and no network. */

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ReportedExchange } from '../schemas/exchange.ts';
import type { CaseOutcome } from '../schemas/outcome.ts';
import type { ConformanceReport } from '../schemas/report.ts';
import type { Contract, Requirement, Entry } from '../schemas/requirement.ts';
import { writeAllureResults } from './formats/allure-results.ts';
import { fold, type FoldInput } from './model/fold.ts';
import { replayCommand } from './model/text.ts';

/** Every file that Allure reads for a report, by name. */
export function allureFiles(report: ConformanceReport): ReadonlyMap<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-allure-'));
  writeAllureResults(report, folder);
  const names = readdirSync(folder);
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

/** A requirement with the contract and section of its id. */
export function sampleRequirement(id: string, entry: Partial<Entry> = {}): Requirement {
  const [contract = '', section = ''] = id.split('.');
  return {
    id,
    contract,
    section,
    clause: `${contract}#${section}`,
    strength: 'stated',
    statement: `What ${id} asks for holds.`,
    ...entry,
  };
}

/** A case that judges and observes nothing by default. */
export function sampleOutcome(changes: Partial<CaseOutcome> = {}): CaseOutcome {
  return {
    case: 'compute/list-instances › answers a list',
    contract: 'compute',
    section: 'list-instances',
    target: 'staging',
    judges: [],
    seen: {},
    findings: [],
    gaps: [],
    recordings: [],
    errors: [],
    exchanges: [],
    samples: {},
    traffic: [],
    transitions: {},
    properties: [],
    requests: 0,
    retries: 0,
    startedAt: Date.UTC(2026, 10, 21, 12),
    durationMs: 5,
    ...changes,
  };
}

/** A 400 with the compute envelope. */
export function sampleExchange(changes: Partial<ReportedExchange> = {}): ReportedExchange {
  return {
    id: 'e1',
    target: 'staging',
    operation: 'GET /instances',
    request: {
      method: 'GET',
      url: 'https://compute.example.com/v1/instances?size=201',
      headers: [
        ['Authorization', 'Bearer [redacted: keys.primary]'],
        ['Accept', 'application/json'],
      ],
      body: { bytes: 0 },
      credential: 'primary',
    },
    response: {
      status: 400,
      headers: [['content-type', 'application/json']],
      body: {
        text: '{"error":{"code":"VALIDATION_ERROR","message":"size","request_id":"r-1"}}',
        bytes: 73,
      },
    },
    ending: 'complete',
    cause: undefined,
    startedAt: Date.UTC(2026, 10, 21, 12),
    headMs: 4,
    durationMs: 5,
    retries: 0,
    ...changes,
  };
}

/** A finding of one requirement. */
export function sampleFinding(
  requirement: string,
  changes: Partial<CaseOutcome['findings'][number]> = {},
): CaseOutcome['findings'][number] {
  return {
    requirement,
    message: 'A page size of 201 was accepted.',
    expected: '400 VALIDATION_ERROR',
    actual: '200',
    exchanges: [],
    ...changes,
  };
}

/** An error of ours in a case. */
export const sampleBug = { message: 'TypeError: x is undefined', stack: undefined };

/** The reason why a requirement was not judged. */
export function sampleGap(
  requirement: string,
  changes: Partial<CaseOutcome['gaps'][number]> = {},
): CaseOutcome['gaps'][number] {
  return { requirement, kind: 'not-exercised', reason: 'the account is empty', ...changes };
}

/** What a test changes in the sample: requirements by id, and members of the outcomes and the run. */
export interface SampleInput extends Partial<Omit<FoldInput, 'catalogue' | 'outcomes' | 'run'>> {
  readonly catalogue?: readonly (string | Requirement)[];
  readonly outcomes?: readonly Partial<CaseOutcome>[];
  readonly run?: Partial<FoldInput['run']>;
}

/** The folded report of `outcomes` on a target named `staging`. */
export function sampleReport({
  catalogue = [],
  outcomes = [],
  run = {},
  ...changes
}: SampleInput = {}): ConformanceReport {
  const seed = 42;
  return fold({
    tool: { name: 'plumbline', version: '0.1.0' },
    run: {
      id: 'run-1',
      startedAt: '2026-11-21T12:00:00.000Z',
      durationMs: 65_000,
      seed,
      shard: null,
      partial: false,
      selection: [],
      ...run,
    },
    replay: (id, { file }, only) => replayCommand(file, id, seed, only),
    targets: [sampleTarget()],
    catalogue: catalogue.map((one) => (typeof one === 'string' ? sampleRequirement(one) : one)),
    outcomes: outcomes.map(sampleOutcome),
    troubles: [],
    offers: () => false,
    selects: () => true,
    profiles: {},
    deviations: [],
    ...changes,
  });
}

export function sampleTarget(
  name = 'staging',
  contract: Contract = 'compute',
): FoldInput['targets'][number] {
  return { name, contract, baseUrl: `https://${contract}.example.com/v1`, file: `${name}.yaml` };
}
