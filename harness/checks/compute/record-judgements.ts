/** Universal: the records of one answer, each judged alone and told together (compute#instance, compute#variants). */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { InstanceVariant } from '../../../schemas/compute/instance-fields.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Violation, present } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { fieldVerdicts } from './instance-record.ts';
import { actionConsistency, listConsistency, recordConsistency } from './record-consistency.ts';
import type { Flaw, RecordVerdict } from './record-verdict.ts';
import type { WireRecord } from './records.ts';

/** Records of one answer that are judged; a longer page is wrong already. */
const JUDGED_RECORDS = 1_000;
/** Records of which is remembered what was made of them. */
const REMEMBERED_RECORDS = 5_000;

/** One answer with its records. */
export interface RecordsOfAnswer {
  readonly exchange: Exchange;
  readonly variant: InstanceVariant;
  readonly records: readonly WireRecord[];
}

/** Of many records with the same flaw the first is told, with how many there are. */
interface Flawed {
  readonly flaw: Flaw;
  readonly record: WireRecord;
  count: number;
}

/** Judges what single records show: one judgement for each requirement of which there is something to see. */
export function* recordJudgements({
  exchange,
  variant,
  records,
}: RecordsOfAnswer): Generator<UniversalJudgement<ComputeRequirementId>> {
  const seen = new Map<ComputeRequirementId, number>();
  const flawed = new Map<ComputeRequirementId, Map<string, Flawed>>();
  const judged = records.slice(0, JUDGED_RECORDS);
  for (const record of judged) {
    for (const { requirement, aspect = '', flaw } of verdictsOn(record, variant)) {
      seen.set(requirement, (seen.get(requirement) ?? 0) + 1);
      if (flaw === undefined) continue;
      const aspects = flawed.get(requirement) ?? new Map<string, Flawed>();
      flawed.set(requirement, aspects);
      const known = aspects.get(aspect);
      if (known === undefined) aspects.set(aspect, { flaw, record, count: 1 });
      else known.count += 1;
    }
  }
  for (const [requirement, times] of seen) {
    const violations = [...(flawed.get(requirement)?.values() ?? [])].map((one) =>
      told(one, judged.length, exchange),
    );
    yield { requirement, judgement: { seen: times, violations } };
  }
}

function told({ flaw, record, count }: Flawed, records: number, exchange: Exchange): Violation {
  const id = record['instance_id'];
  const whose = typeof id === 'string' ? ` (instance ${present(id)})` : '';
  const others = count === 1 ? '' : ` ${count} of ${records} records do so.`;
  return {
    ...flaw,
    message: `${flaw.message}${others}`,
    actual: `${flaw.actual}${whose}`,
    exchanges: [exchange],
  };
}

const remembered: Readonly<Record<InstanceVariant, Map<string, readonly RecordVerdict[]>>> = {
  list: new Map(),
  action: new Map(),
};

/** A run reads the same records again and again; what one of them says does not change. */
function verdictsOn(record: WireRecord, variant: InstanceVariant): readonly RecordVerdict[] {
  const text = textOfRecord(record);
  if (text === undefined) return judgeRecord(record, variant);
  const known = remembered[variant];
  const before = known.get(text);
  if (before !== undefined) return before;
  const verdicts = judgeRecord(record, variant);
  if (known.size >= REMEMBERED_RECORDS) known.clear();
  known.set(text, verdicts);
  return verdicts;
}

/** Undefined where the text would not tell all: numbers beyond those of IEEE 754 are written as null. */
function textOfRecord(record: WireRecord): string | undefined {
  const isBeyond = Object.values(record).some(
    (value) => typeof value === 'number' && !Number.isFinite(value),
  );
  return isBeyond ? undefined : JSON.stringify(record);
}

function judgeRecord(record: WireRecord, variant: InstanceVariant): readonly RecordVerdict[] {
  return [
    ...fieldVerdicts(record, variant),
    ...recordConsistency(record),
    ...(variant === 'list' ? listConsistency(record) : actionConsistency(record)),
  ];
}
