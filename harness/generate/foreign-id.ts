/** Texts that a client may send as its request id and that are no UUID. */

import { type Arbitrary, constantFrom, string } from 'fast-check';

const UUID = '3f0c8a52-6d1e-4b7a-9c35-2e8f1d904b6c';

/** Ids that are nearly a UUID, or nothing like one. */
export const foreignIds: readonly string[] = [
  '1',
  'plumbline',
  UUID.slice(1),
  `${UUID}0`,
  `{${UUID}}`,
  `urn:uuid:${UUID}`,
  `${UUID}, ${UUID}`,
  UUID.replaceAll('-', ''),
  UUID.replace('3', 'g'),
  'x'.repeat(300),
  '"quoted"',
];

/** Printable ASCII without blanks at the ends, which a header does not keep. */
export const foreignId: Arbitrary<string> = string({
  unit: constantFrom('a', 'f', '0', '9', '-', '_', '.', ':'),
  minLength: 1,
  maxLength: 40,
});
