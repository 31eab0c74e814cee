import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { ComputeGuard } from '../exchange/compute-guard.ts';
import { almostUuids, nearlyUuids } from './nearly-uuid.ts';

test('every id may leave as an id that exists nowhere, and names no sibling path', () => {
  const guard = new ComputeGuard({
    terminate: 'POST /instances/{id}/terminate',
    start: undefined,
    provision: undefined,
    consent: { stop: false, terminate: false },
  });
  const invented = guard.unknownInstanceId();
  assert(
    property(nearlyUuids(invented), (id) => {
      expect(id).not.toBe(invented);
      expect(id).not.toMatch(/[./\\?#]/u);
      guard.check('POST', `/instances/${encodeURIComponent(id)}/stop`);
      guard.check('POST', `/instances/${encodeURIComponent(id)}/terminate`);
    }),
    { numRuns: 1_000, examples: almostUuids(invented).map((id): [string] => [id]) },
  );
});
