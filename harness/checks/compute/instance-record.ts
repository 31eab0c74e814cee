/** Universal: every field of an instance record, in either variant (compute#instance). */

import {
  type InstanceVariant,
  instanceFieldNames,
  instanceFields,
  fieldRequirement,
} from '../../../schemas/compute/wire.ts';
import { figureOf } from '../../exchange/exact-json.ts';
import { present } from '../judgement.ts';
import type { Flaw, RecordVerdict } from './record-verdict.ts';
import type { WireRecord } from './records.ts';

/** Judges each documented field of a record. */
export function* fieldVerdicts(
  record: WireRecord,
  variant: InstanceVariant,
): Generator<RecordVerdict> {
  for (const name of instanceFieldNames) {
    const field = instanceFields[name];
    const isThere = Object.hasOwn(record, name);
    // Whether a nullable field may be absent is not said; one that is not nullable has to be there.
    if (field.nullable) {
      yield {
        requirement: `compute.instance-record.${variant}-nullable-there`,
        aspect: name,
        flaw: isThere ? undefined : wrong(name, 'null or a value', 'absent'),
      };
      if (!isThere) continue;
    }
    yield {
      requirement: fieldRequirement(variant, field.slug),
      flaw: isThere ? flawIn(record[name], name) : wrong(name, field.is, 'absent'),
    };
  }
}

function flawIn(value: unknown, name: keyof typeof instanceFields): Flaw | undefined {
  const { is, schema } = instanceFields[name];
  return schema.safeParse(figureOf(value)).success ? undefined : wrong(name, is, present(value));
}

function wrong(name: string, expected: string, actual: string): Flaw {
  return { message: `${name} is not ${expected}.`, expected, actual };
}
