import { expect, test } from 'vitest';
import { z } from 'zod';

import { conformanceReport } from './report.ts';

const minimal = {
  schemaVersion: 1,
  tool: { name: 'plumbline', version: '0.1.0', catalogueDigest: 'abc' },
  run: {
    id: 'r',
    startedAt: '2026-11-21T12:00:00.000Z',
    durationMs: 1,
    seed: 1,
    requests: 0,
    shard: null,
    partial: false,
    selection: [],
  },
  targets: [],
  requirements: [],
  exchanges: [],
  cases: [],
  properties: [],
  troubles: [],
};

test('reads a report, also one with fields of a later release', () => {
  expect(conformanceReport.safeParse(minimal).success).toBe(true);
  expect(conformanceReport.safeParse({ ...minimal, later: 1 }).success).toBe(true);
});

test.for<[string, unknown]>([
  ['another version of nothing', { ...minimal, schemaVersion: 0 }],
  ['a start that is no date', { ...minimal, run: { ...minimal.run, startedAt: 'yesterday' } }],
  ['a shard without its number', { ...minimal, run: { ...minimal.run, shard: { of: 2 } } }],
  ['no requirements', { ...minimal, requirements: undefined }],
])('refuses %s', ([, report]) => {
  expect(conformanceReport.safeParse(report).success).toBe(false);
});

test('can be published as a JSON Schema that lets later fields pass', () => {
  const published = JSON.stringify(
    z.toJSONSchema(conformanceReport, { target: 'draft-2020-12', io: 'input' }),
  );
  expect(published).toContain('Conformance report');
  expect(published).not.toContain('"additionalProperties":false');
});
