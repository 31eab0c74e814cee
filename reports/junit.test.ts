import { expect, test } from 'vitest';

import { hostileReport } from './hostile.test.support.ts';
import { reportToJunit } from './formats/junit.ts';
import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

const ids = ['broken', 'erred', 'held', 'missing', 'unclear'].map((slug) => `compute.list.${slug}`);
const [broken = '', erred = '', held = '', missing = '', inconclusive = ''] = ids;
const warned = 'compute.list.warned';

const report = sampleReport({
  catalogue: [
    ...ids.map((id) => sampleRequirement(id)),
    sampleRequirement(warned, { strength: 'implied' }),
  ],
  outcomes: [
    sampleOutcome({
      findings: [sampleFinding(broken), sampleFinding(warned)],
      seen: { [held]: 1 },
    }),
    sampleOutcome({ judges: [erred], errors: [{ message: 'TypeError', stack: undefined }] }),
    sampleOutcome({
      gaps: [
        { requirement: inconclusive, kind: 'inconclusive', reason: 'busy' },
        { requirement: missing, kind: 'not-exercised', reason: 'needs a key' },
      ],
    }),
  ],
});

test('each verdict has its form', () => {
  const xml = reportToJunit(report);
  expect(xml).toContain('tests="6" failures="1" errors="1" skipped="2"');
  expect(xml).toMatch(
    new RegExp(`name="${broken}"><failure type="stated" message="A page size`, 'u'),
  );
  expect(xml).toContain(`again: plumbline run staging.yaml --only ${broken} --seed 42`);
  expect(xml).toMatch(new RegExp(`name="${erred}"><error type="suite" message="TypeError"/>`, 'u'));
  expect(xml).toMatch(new RegExp(`name="${held}"/>`, 'u'));
  expect(xml).toMatch(
    new RegExp(`name="${missing}"><skipped message="not-exercised: needs a key"/>`, 'u'),
  );
  expect(xml).toMatch(
    new RegExp(`name="${inconclusive}"><skipped message="inconclusive: busy"/>`, 'u'),
  );
  expect(xml).toMatch(new RegExp(`name="${warned}"><system-out>warning: `, 'u'));
});

test('a hostile text is no markup and no character that XML refuses', () => {
  const xml = reportToJunit(hostileReport());
  expect(xml).not.toMatch(
    /<(?!\/?(?:testsuites?|testcase|failure|error|skipped|system-out)\b|\?xml)/u,
  );
  // oxlint-disable-next-line no-control-regex -- controls are what this looks for
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u);
});
