/** An attestation of a result: an in-toto statement in a signed envelope (DSSE), and its summary as text. */

import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { ConformanceReport } from '../../schemas/report.ts';
import { conclude, exitCode } from './conclusions.ts';
import { resultsOf } from './evidence.ts';
import { partsOf } from './merge.ts';
import { summarise } from './fold.ts';
import { sha256, visibleLine } from './text.ts';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';

const digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/u) });

/** The frame of a statement. Its predicate is never believed, but compared with what the result itself says. */
export const statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.object({ name: z.string(), digest })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.unknown(),
});

export type Statement = ReturnType<typeof statementOf>;

/** A result that must not be attested, with a message for the user. */
export class Unattestable extends Error {
  override readonly name = 'Unattestable';
}

/** The statement over a result; `text` is its file. @throws {Unattestable} for wrong counts, or if nothing was judged */
export function statementOf(report: ConformanceReport, text: string, file: string) {
  requireSound(report, file);
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
          name: 'catalogue' as const,
          digest: { sha256: tool.catalogueDigest },
          annotations: { tool: tool.name, version: tool.version },
        },
        {
          name: 'run' as const,
          digest: { sha256: sha256(JSON.stringify(runNotes)) },
          annotations: runNotes,
        },
        ...report.targets.map(({ name, contract, baseUrl, summary, profiles = [] }) => ({
          name: 'target' as const,
          uri: baseUrl,
          // What identifies a deployment.
          digest: { sha256: sha256(JSON.stringify({ contract, name, baseUrl })) },
          annotations: {
            target: name,
            contract,
            stated: summary.stated,
            notSelected: summary.notSelected,
            profiles,
          },
        })),
      ],
      passedTests: named('passed'),
      warnedTests: [...named('warned'), ...named('waived')],
      failedTests: named('failed'),
    },
  };
}

/** PASSED means that the run covered the whole contract, as far as possible, and that there is nothing to remark. */
function outcomeOf(report: ConformanceReport): keyof typeof results {
  if (exitCode(report, { strict: false }) === 1) return 'FAILED';
  const { run, targets } = report;
  const strictly = exitCode(report, { strict: true });
  const remarks =
    strictly === 1 ||
    strictly === 5 ||
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
    const counted = summarise(resultsOf(report, target.name), target.summary.notSelected);
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

const results = {
  PASSED: 'everything stated that was exercised held',
  WARNED: 'nothing stated was broken, with remarks: warnings, waivers, or only a part was run',
  FAILED: 'stated requirements were broken',
} as const;

/** The statement as text; `fingerprint` is that of the key that verified it. */
export function attestationText(
  said: Statement,
  fingerprint: string,
  ownCatalogue: string,
): readonly string[] {
  const { predicate } = said;
  return [
    `Result: ${predicate.result}: ${results[predicate.result]}.`,
    ...predicate.configuration.flatMap((part) => linesOf(part, ownCatalogue)),
    '',
    'This proves:',
    `- Whoever holds the private key of ${fingerprint} signed this statement.`,
    '- The result file is the one that was signed, byte for byte, and the statement says of it what it says.',
    'This does not prove:',
    '- who holds that key: compare the fingerprint with one that you got another way;',
    '- that the run took place as it is told, or when: there is no trusted time in it;',
    '- that what answers at that address is the same today, or was what you think it was;',
    '- anything about requirements that were not exercised, left out or waived.',
  ];
}

function linesOf(
  part: Statement['predicate']['configuration'][number],
  ownCatalogue: string,
): readonly string[] {
  const shown = (text: string): string => visibleLine(text, 200);
  if (part.name === 'catalogue') {
    const { tool, version } = part.annotations;
    const same = part.digest.sha256 === ownCatalogue;
    return [
      `Judged by ${shown(tool)} ${shown(version)}, catalogue ${part.digest.sha256.slice(0, 12)}, ${same ? 'the same as that of this plumbline' : 'another one than that of this plumbline'}.`,
    ];
  }
  if (part.name === 'run') {
    const { id, startedAt, seed, partial, selection } = part.annotations;
    const scope = [...(partial ? ['unfinished'] : []), ...selection.map(shown)].join(', ');
    return [
      `Run ${shown(id)}, said to have started at ${shown(startedAt)}, seed ${seed}${scope === '' ? '' : `; only a part: ${scope}`}.`,
    ];
  }
  const { target, contract, stated, notSelected, profiles } = part.annotations;
  return [
    `Target ${shown(target)} (${contract}) at ${shown(part.uri)}: ${stated.passed} of ${stated.total} stated requirements held, ${stated.failed} broken, ${stated.waived} waived, ${stated.notExercised} not exercised${notSelected > 0 ? `, ${notSelected} of any strength left out` : ''}.`,
    ...profiles.map(
      ({ name, met, held, total }) =>
        `  Profile ${shown(name)}: ${met ? 'met' : 'not met'}, ${held} of ${total}.`,
    ),
  ];
}

const base64 = z.base64().min(1);

export const envelope = z.object({
  payload: base64,
  payloadType: z.string().min(1),
  signatures: z
    .array(z.object({ keyid: z.string().optional(), sig: base64 }))
    .min(1)
    .readonly(),
});

export type Envelope = z.infer<typeof envelope>;

/** SHA-256 of the public key in DER form (SubjectPublicKeyInfo), in hex. */
export function keyFingerprint(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return sha256(half.export({ type: 'spki', format: 'der' }));
}

/** Signs a payload with an Ed25519 private key. */
export function seal(payload: string, payloadType: string, key: KeyObject): Envelope {
  const bytes = Buffer.from(payload);
  return {
    payload: bytes.toString('base64'),
    payloadType,
    signatures: [
      {
        keyid: keyFingerprint(key),
        sig: sign(null, authenticated(payloadType, bytes), key).toString('base64'),
      },
    ],
  };
}

/** The payload if one of the signatures is by this key, otherwise undefined. The key id is only a hint. */
export function opened(sealed: Envelope, key: KeyObject): Buffer | undefined {
  const payload = Buffer.from(sealed.payload, 'base64');
  const signed = authenticated(sealed.payloadType, payload);
  const byKey = sealed.signatures.some(({ sig }) =>
    verify(null, signed, key, Buffer.from(sig, 'base64')),
  );
  return byKey ? payload : undefined;
}

/** The signed bytes: type and payload with their lengths, so that the boundary between them is unambiguous. */
function authenticated(type: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
