/**
 * A result as an in-toto statement with the test-result predicate
 * (https://in-toto.io/attestation/test-result/v0.1): whose digest it is, by what and against what it was made.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { contractNames } from '../schemas/contracts.ts';

import type { ConformanceReport, TargetResult } from '../schemas/report.ts';
import { conclude, exitCode } from './conformance.ts';
import { partsOf } from './merge.ts';
import { summarise } from './summary.ts';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';

const digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/u) });
const texts = z.array(z.string()).readonly();

const targetNotes = z.object({
  contract: z.enum(contractNames),
  /** `212 of 231 stated held, 4 broken, …`, as numbers. */
  stated: z.record(z.string(), z.number()),
  notSelected: z.number(),
  profiles: z
    .array(z.object({ name: z.string(), met: z.boolean(), held: z.number(), total: z.number() }))
    .readonly(),
});

/** The statement; further members are allowed, as in-toto says. */
export const statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z
    .array(z.object({ name: z.string(), digest }))
    .min(1)
    .readonly(),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.object({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    /** What it was judged by, and what was judged. */
    configuration: z
      .array(
        z.discriminatedUnion('name', [
          z.object({
            name: z.literal('catalogue'),
            digest,
            annotations: z.object({ tool: z.string(), version: z.string() }),
          }),
          z.object({
            name: z.literal('run'),
            digest,
            annotations: z.object({
              id: z.string(),
              startedAt: z.string(),
              seed: z.number(),
              partial: z.boolean(),
              selection: texts,
            }),
          }),
          z.object({
            name: z.literal('target'),
            uri: z.string(),
            digest,
            annotations: targetNotes.extend({ target: z.string() }),
          }),
        ]),
      )
      .readonly(),
    passedTests: texts,
    warnedTests: texts,
    failedTests: texts,
  }),
});

export type Statement = z.infer<typeof statement>;

/** A result that must not be attested, with a message for the user. */
export class Unattestable extends Error {
  override readonly name = 'Unattestable';
}

/** SHA-256 in hex. */
export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The statement over a result. `text` is the file, byte for byte.
 * @throws {Unattestable} when its counts are not those of its requirements, or when nothing was judged
 */
export function statementOf(report: ConformanceReport, text: string, name: string): Statement {
  requireSound(report, name);
  const { run, tool } = report;
  const named = (verdict: string): readonly string[] =>
    report.requirements
      .filter((result) => result.verdict === verdict)
      .map(({ target, id }) => (report.targets.length > 1 ? `${target}/${id}` : id));
  const runNotes = {
    id: run.id,
    startedAt: run.startedAt,
    seed: run.seed,
    partial: run.partial || run.shard !== null,
    selection: run.selection,
  };
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: 'conformance.json', digest: { sha256: sha256(text) } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: outcomeOf(report),
      configuration: [
        {
          name: 'catalogue',
          digest: { sha256: tool.catalogueDigest },
          annotations: { tool: tool.name, version: tool.version },
        },
        {
          name: 'run',
          digest: { sha256: sha256(JSON.stringify(runNotes)) },
          annotations: runNotes,
        },
        ...report.targets.map((target) => ({
          name: 'target' as const,
          uri: target.baseUrl,
          digest: { sha256: targetIdentity(target) },
          annotations: {
            target: target.name,
            contract: target.contract,
            stated: target.summary.stated,
            notSelected: target.summary.notSelected,
            profiles: target.profiles ?? [],
          },
        })),
      ],
      passedTests: named('passed'),
      warnedTests: [...named('warned'), ...named('waived')],
      failedTests: named('failed'),
    },
  };
}

/** SHA-256 over what identifies a deployment: contract, name and address. */
function targetIdentity({ contract, name, baseUrl }: TargetResult): string {
  return sha256(JSON.stringify({ contract, name, baseUrl }));
}

/** Passed means the whole contract as far as it was exercised, and nothing to remark on. */
function outcomeOf(report: ConformanceReport): Statement['predicate']['result'] {
  if (exitCode(report, { strict: false }) === 1) return 'FAILED';
  const { run, targets } = report;
  const remarks =
    exitCode(report, { strict: true }) === 1 ||
    exitCode(report, { strict: true }) === 5 ||
    run.partial ||
    run.selection.length > 0 ||
    targets.some(
      ({ summary: { stated, implied } }) =>
        stated.waived + implied.waived + stated.inconclusive > 0,
    );
  return remarks ? 'WARNED' : 'PASSED';
}

function requireSound(report: ConformanceReport, name: string): void {
  for (const target of report.targets) {
    const results = report.requirements.filter((result) => result.target === target.name);
    const counted = summarise(results, target.summary.notSelected);
    if (JSON.stringify(counted) !== JSON.stringify(target.summary)) {
      throw new Unattestable(
        `${name}: the counts of ${target.name} are not those of its requirements; the file was changed by hand. Attest the file that the run wrote.`,
      );
    }
  }
  if (report.run.shard !== null) {
    throw new Unattestable(
      `${name} is shard ${partsOf(report)[0]?.shard.index ?? 0} of a run. Merge all shards with plumbline merge, and attest that.`,
    );
  }
  const sawNothing = report.targets.some(
    (target) => conclude(report, target) === 'nothing-exercised',
  );
  if (sawNothing || exitCode(report, { strict: false }) === 4) {
    throw new Unattestable(
      `${name}: the suite failed or saw nothing, so there is nothing to attest. Run it again.`,
    );
  }
}
