/** Universal: every field of an instance record, in either variant (compute#instance). */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import {
  type InstanceVariant,
  instanceFieldNames,
  instanceFields,
} from '../../../schemas/compute/instance-fields.ts';
import { fieldRequirement } from '../../../schemas/compute/instance-record.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, type Violation, held, present } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import type { WireRecord } from './records.ts';

type Verdicts = Generator<UniversalJudgement<ComputeRequirementId>>;

/** Records of one answer that are judged; a longer page is wrong already. */
const JUDGED_RECORDS = 1_000;

/** One answer with its records, and where in the body each stands. */
export interface RecordsOfAnswer {
  readonly exchange: Exchange;
  readonly variant: InstanceVariant;
  readonly records: readonly WireRecord[];
}

/** Judges each documented field over all records of an answer: one judgement for each field. */
export function* instanceRecords(answer: RecordsOfAnswer): Verdicts {
  const records = answer.records.slice(0, JUDGED_RECORDS);
  if (records.length === 0) return;
  const nullables: Judgement[] = [];
  for (const name of instanceFieldNames) {
    const field = instanceFields[name];
    const found = records.filter((record) => Object.hasOwn(record, name));
    // Whether a nullable field may be absent is not said; one that is not nullable has to be there.
    const judged = field.nullable ? found : records;
    if (field.nullable) {
      nullables.push(
        over(records, answer, (record) =>
          Object.hasOwn(record, name) ? undefined : wrong(name, 'null or a value', 'absent'),
        ),
      );
    }
    if (judged.length === 0) continue;
    yield {
      requirement: fieldRequirement(answer.variant, field.slug),
      judgement: over(judged, answer, (record) => {
        if (!Object.hasOwn(record, name)) return wrong(name, field.is, 'absent');
        const parsed = field.schema.safeParse(record[name]);
        return parsed.success ? undefined : wrong(name, field.is, present(record[name]));
      }),
    };
  }
  yield {
    requirement: `compute.instance-record.${answer.variant}-nullable-there`,
    judgement: {
      seen: records.length,
      violations: nullables.flatMap((judgement) => judgement.violations),
    },
  };
}

/** What is wrong with one record, without the exchange that shows it. */
export type Flaw = Omit<Violation, 'exchanges'>;

function wrong(name: string, expected: string, actual: string): Flaw {
  return { message: `${name} is not ${expected}.`, expected, actual };
}

/** Judges every record alike; of many flaws alike the first is told, with how many there are. */
export function over(
  records: readonly WireRecord[],
  answer: Pick<RecordsOfAnswer, 'exchange'>,
  flawOf: (record: WireRecord) => Flaw | undefined,
): Judgement {
  const flaws = records.flatMap((record) => {
    const flaw = flawOf(record);
    return flaw === undefined ? [] : [{ flaw, record }];
  });
  const [first] = flaws;
  if (first === undefined) return held(records.length);
  const id = first.record['instance_id'];
  const whose = typeof id === 'string' ? ` (instance ${present(id)})` : '';
  const others = flaws.length === 1 ? '' : ` ${flaws.length} of ${records.length} records do so.`;
  return {
    seen: records.length,
    violations: [
      {
        ...first.flaw,
        message: `${first.flaw.message}${others}`,
        actual: `${first.flaw.actual}${whose}`,
        exchanges: [answer.exchange],
      },
    ],
  };
}
