/** What names a catalogue: two runs with the same digest judged by the same requirements. */

import { createHash } from 'node:crypto';

import type { Requirement } from '../schemas/requirement.ts';
import { byText } from './order.ts';

/** SHA-256 in hex over every requirement, whatever order they come in. */
export function catalogueDigest(catalogue: readonly Requirement[]): string {
  const rows = catalogue.map((requirement) =>
    JSON.stringify([
      requirement.id,
      requirement.clause,
      requirement.strength,
      requirement.statement,
      requirement.judged ?? '',
      [...(requirement.needs ?? [])].toSorted(byText),
    ]),
  );
  return createHash('sha256').update(rows.toSorted(byText).join('\n')).digest('hex');
}
