/** Universal: judges each record of a response by itself, and reports them together (compute#instance, compute#variants). */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { type InstanceVariant, instanceFieldNames } from '../../../schemas/compute/wire.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Violation, present } from '../judgement.ts';

import {
  actionConsistency,
  fieldVerdicts,
  type Flaw,
  listConsistency,
  recordConsistency,
  type RecordVerdict,
} from './record.ts';
import { type WireRecord, textOf } from './records.ts';
import type { ComputeVerdicts } from './operation.ts';

/** Records of one response that are judged; a longer page is wrong anyway. */
const JUDGED_RECORDS = 1_000;
/** Records whose verdicts are cached, for each variant. */
const REMEMBERED_RECORDS = 5_000;

const REGION_CODE = 'compute.instance-record.list-region-code';

/** One response with its records. */
export interface RecordsOfAnswer {
  readonly exchange: Exchange;
  readonly variant: InstanceVariant;
  readonly records: readonly WireRecord[];
  /** Locations that belong to no region: the `region` of an instance there is open. */
  readonly unmapped?: readonly string[] | undefined;
  /** What the contract leaves open in this response. */
  readonly open?: readonly ComputeRequirementId[];
}

/** Of many records with the same flaw, the first one is reported with their count. */
interface Flawed {
  readonly flaw: Flaw;
  readonly record: WireRecord;
  count: number;
}

/** Judges single records, with one judgement for each requirement that they show. */
export function* recordJudgements({
  exchange,
  variant,
  records,
  unmapped = [],
  open = [],
}: RecordsOfAnswer): ComputeVerdicts {
  const judged = records.slice(0, JUDGED_RECORDS);
  // Equal lists of verdicts are grouped: the first record of each, and their count.
  const kinds = new Map<readonly RecordVerdict[], { record: WireRecord; count: number }>();
  for (const record of judged) {
    const verdicts = verdictsOn(record, variant);
    const known = kinds.get(verdicts);
    if (known === undefined) kinds.set(verdicts, { record, count: 1 });
    else known.count += 1;
  }
  const seen = new Map<ComputeRequirementId, number>();
  const flawed = new Map<ComputeRequirementId, Map<string, Flawed>>();
  for (const [verdicts, { record, count }] of kinds) {
    for (const { requirement, aspect = '', flaw } of verdicts) {
      if (open.includes(requirement)) continue;
      if (requirement === REGION_CODE && unmapped.includes(textOf(record, 'region') ?? ''))
        continue;
      seen.set(requirement, (seen.get(requirement) ?? 0) + count);
      if (flaw === undefined) continue;
      const aspects = flawed.get(requirement) ?? new Map<string, Flawed>();
      flawed.set(requirement, aspects);
      const known = aspects.get(aspect);
      if (known === undefined) aspects.set(aspect, { flaw, record, count });
      else known.count += count;
    }
  }
  for (const [requirement, times] of seen) {
    const violations = [...(flawed.get(requirement)?.values() ?? [])].map((one) =>
      violationOf(one, judged.length, exchange),
    );
    yield { requirement, judgement: { seen: times, violations } };
  }
}

function violationOf(
  { flaw, record, count }: Flawed,
  records: number,
  exchange: Exchange,
): Violation {
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

interface Remembered {
  readonly record: WireRecord;
  readonly verdicts: readonly RecordVerdict[];
}

const remembered: Readonly<Record<InstanceVariant, Map<string, Remembered>>> = {
  list: new Map(),
  action: new Map(),
};

/** A run reads the same records many times: the verdicts on one are valid as long as its fields are the same. */
function verdictsOn(record: WireRecord, variant: InstanceVariant): readonly RecordVerdict[] {
  const id = textOf(record, 'instance_id');
  if (id === undefined) return judgeRecord(record, variant);
  const known = remembered[variant];
  const before = known.get(id);
  if (before !== undefined && isSame(before.record, record)) return before.verdicts;
  const verdicts = judgeRecord(record, variant);
  if (known.size >= REMEMBERED_RECORDS) known.clear();
  known.set(id, { record, verdicts });
  return verdicts;
}

/** True when no verdict can differ. Arrays and objects, which no field allows, never count as the same. */
function isSame(one: WireRecord, other: WireRecord): boolean {
  return instanceFieldNames.every((name) => one[name] === other[name]);
}

function judgeRecord(record: WireRecord, variant: InstanceVariant): readonly RecordVerdict[] {
  const verdicts = [
    ...fieldVerdicts(record, variant),
    ...recordConsistency(record),
    ...(variant === 'list' ? listConsistency(record) : actionConsistency(record)),
  ];
  return verdicts.some(({ flaw }) => flaw !== undefined) ? verdicts : clean(verdicts);
}

const cleanVerdicts = new Map<string, readonly RecordVerdict[]>();

/** Records without a flaw that show the same requirements share one list, so that they are grouped. */
function clean(verdicts: readonly RecordVerdict[]): readonly RecordVerdict[] {
  const shown = verdicts.map(({ requirement }) => requirement).join();
  const known = cleanVerdicts.get(shown) ?? verdicts;
  cleanVerdicts.set(shown, known);
  return known;
}
