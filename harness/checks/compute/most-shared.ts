/** Which values of several fields most records have in common. */

import type { WireRecord } from './records.ts';

export interface Shared<Field extends string> {
  readonly values: Partial<Readonly<Record<Field, string>>>;
  /** Records that have all of them; 0 when no record has text in every field. */
  readonly count: number;
}

/** The values, one for each field, that go together most often. */
export function mostShared<const Field extends string>(
  records: readonly WireRecord[],
  fields: readonly Field[],
): Shared<Field> {
  const groups = new Map<string, Shared<Field>>();
  let most: Shared<Field> = { values: {}, count: 0 };
  for (const record of records) {
    const texts = fields.map((field) => record[field]).filter((text) => typeof text === 'string');
    if (texts.length < fields.length) continue;
    const values: Partial<Record<Field, string>> = {};
    for (const [index, field] of fields.entries()) values[field] = texts[index] ?? '';
    const name = JSON.stringify(texts);
    const group = { values, count: (groups.get(name)?.count ?? 0) + 1 };
    groups.set(name, group);
    if (group.count > most.count) most = group;
  }
  return most;
}
