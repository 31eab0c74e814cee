/** Ids of models that nobody registers, in the forms that ids have. */

import { type Arbitrary, constantFrom, oneof, string, tuple } from 'fast-check';

/** Ids that text in JSON, a format or a log could stumble over, and one that names an owner. */
export const oddModelNames: readonly string[] = [
  '-"quoted"',
  '-\\back',
  '-größe',
  '-世界🚀',
  '-{0}',
  '-%s',
  "-it's",
  '/owned',
].map((shape) => `plumbline-nobody${shape}`);

const shapes = ['', '-v1', '.Q4_K_M', ':latest', '@main', '_base'];

/** At most 200 ASCII characters without a slash, which paths would take apart. */
export const unknownModelId: Arbitrary<string> = tuple(
  string({
    unit: constantFrom('a', 'b', 'X', 'Y', '0', '9', '-', '_', '.'),
    minLength: 8,
    maxLength: 150,
  }),
  constantFrom(...shapes),
).map(([name, shape]) => `plumbline-nobody-${name}${shape}`);

/** The same for request bodies, where many ids name an owner before a slash. */
export const unknownModelName: Arbitrary<string> = oneof(
  unknownModelId,
  unknownModelId.map((id) => `plumbline/${id}`),
);

/** Ids that are not `id` and would be by a careless comparison. */
export function nearlyTheSame(id: string): readonly string[] {
  const otherCase = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
  return [
    otherCase,
    `${id}:latest`,
    `${id}-plumbline`,
    `${id}/plumbline`,
    `plumbline-${id}`,
    ` ${id}`,
    `${id} `,
  ].filter((near) => near !== id);
}
