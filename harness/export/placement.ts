/** Where in a document each requirement stands. */

import type { Requirement } from '../../schemas/requirement.ts';
import type { JsonObject } from './json.ts';

/** The extension that names requirements. */
const REQUIREMENTS = 'x-plumbline-requirements';

/** Part of a document: its kind, then its name, as in `parameter:listInstances.size`. */
export type Place =
  | 'document'
  | `${'operation' | 'parameter' | 'body' | 'response' | 'header' | 'schema' | 'property' | 'security'}:${string}`;

/** Hands out the requirements of each place once, and what no place took to the document itself. */
export class Placement {
  readonly #waiting = new Map<Place, string[]>();
  readonly #requirements: readonly Requirement[];

  constructor(requirements: readonly Requirement[], placeOf: (requirement: Requirement) => Place) {
    this.#requirements = requirements;
    for (const requirement of requirements) {
      const place = placeOf(requirement);
      this.#waiting.set(place, [...(this.#waiting.get(place) ?? []), requirement.id]);
    }
  }

  /** The extension for a place, to be spread into it; nothing when no requirement stands there. */
  at(place: Place): JsonObject {
    const ids = this.#waiting.get(place);
    this.#waiting.delete(place);
    return ids === undefined ? {} : { [REQUIREMENTS]: ids };
  }

  /** The extension with all that was not taken; to be asked last. */
  rest(): JsonObject {
    const ids = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return ids.length === 0 ? {} : { [REQUIREMENTS]: ids };
  }

  /** What each requirement that has its place says, for readers who have only the document. */
  catalogue(): JsonObject {
    const waiting = new Set([...this.#waiting.values()].flat());
    return {
      'x-plumbline-catalogue': Object.fromEntries(
        this.#requirements
          .filter(({ id }) => !waiting.has(id))
          .map(({ id, strength, statement, clause }) => [id, { strength, statement, clause }]),
      ),
    };
  }
}
