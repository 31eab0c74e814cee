import { expect, test } from 'vitest';
import { envelopeCode } from '../exchange/body.ts';
import { Redactor } from '../exchange/redaction.ts';
import { sampleError, sampleExchange } from '../checks/router/sample.test.support.ts';
import { CaseRecorder } from './recorder.ts';

function recorder(): CaseRecorder {
  return new CaseRecorder({
    contract: 'router',
    target: 'made',
    redactor: new Redactor([]),
    universal: () => [],
    operation: () => undefined,
    code: envelopeCode,
    sampled: new Set(),
  });
}

test('a case that sent nothing has no usual answer', () => {
  expect(recorder().usualAnswer).toBe('');
});

test('the usual answer of a case is told by status and code, and how usual it was', () => {
  const seen = recorder();
  seen.exchange(sampleExchange({ status: 200 }));
  for (const code of ['no_agents_available', 'no_agents_available', 'no_capacity']) {
    seen.exchange(sampleError(503, code));
  }
  expect(seen.usualAnswer).toBe(' (2 of 4 requests were answered 503 no_agents_available)');
});

test('what nobody answered is told as that', () => {
  const seen = recorder();
  seen.exchange({ ...sampleExchange(), response: undefined, ending: 'reset' });
  expect(seen.usualAnswer).toBe(' (1 of 1 requests were not answered)');
});
