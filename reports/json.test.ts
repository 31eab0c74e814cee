import { expect, test } from 'vitest';

import { reportFromJson, reportToJson, UnreadableReport } from './formats/json.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

const report = sampleReport({
  catalogue: [sampleRequirement('compute.a.b')],
  outcomes: [
    sampleOutcome({
      findings: [sampleFinding('compute.a.b', { exchanges: ['e1'] })],
      exchanges: [sampleExchange()],
    }),
  ],
});

test('what is written is read back the same', () => {
  expect(reportFromJson(reportToJson(report), 'a.json')).toEqual(JSON.parse(reportToJson(report)));
});

test.for<[string, string, RegExp]>([
  ['no JSON', '{', /^a\.json is not JSON: (?!SyntaxError)/u],
  ['another document', '{"name":"x"}', /^a\.json is not a conformance report at /u],
  ['a later version', '{"schemaVersion":99}', /schema version 99.*Update plumbline/u],
])('refuses %s', ([, text, message]) => {
  expect(() => reportFromJson(text, 'a.json')).toThrow(UnreadableReport);
  expect(() => reportFromJson(text, 'a.json')).toThrow(message);
});
