/** Requirements of the instance record: every field in both variants, and how fields hang together. */

import type { ComputeNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';
import {
  type InstanceFieldSlug,
  type InstanceVariant,
  instanceFieldNames,
  instanceFields,
} from './instance-fields.ts';
import { instanceRelations } from './instance-relations.ts';
import { section } from './section.ts';

type Entry = RequirementEntry<ComputeClause, ComputeNeed>;

const places = {
  list: 'In list pages',
  action: 'In answers to stop and terminate',
} as const satisfies Record<InstanceVariant, string>;

/** One entry for each field of one variant, `list-name` and so on. */
function fieldsOf<const V extends InstanceVariant>(
  variant: V,
  needs: readonly ComputeNeed[],
): Readonly<Record<`${V}-${InstanceFieldSlug}`, Entry>> {
  const entries: Record<string, Entry> = {};
  for (const name of instanceFieldNames) {
    const { slug, clause, is } = instanceFields[name];
    entries[`${variant}-${slug}`] = {
      clause,
      strength: 'stated',
      statement: `${places[variant]}, ${name} is ${is}.`,
      needs,
      universal: true,
    };
  }
  return entries as Record<`${V}-${InstanceFieldSlug}`, Entry>;
}

/** The requirement that judges one field of one variant. */
export function fieldRequirement<
  const V extends InstanceVariant,
  const S extends InstanceFieldSlug,
>(variant: V, slug: S): `compute.instance-record.${V}-${S}` {
  return `compute.instance-record.${variant}-${slug}`;
}

export const instanceRecordRequirements = section('instance-record', {
  ...fieldsOf('list', []),
  ...fieldsOf('action', ['instances.stopped', 'consent.stop']),
  ...instanceRelations,
});
