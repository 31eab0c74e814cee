import { expect, test } from 'vitest';
import { envelopeCode } from '../exchange/body.ts';
import { Redactor } from '../exchange/redaction.ts';
import {
  sampleError,
  sampleExchange,
  type SampleParts,
} from '../checks/router/sample.test.support.ts';
import { Secret } from '../target/keys.ts';
import { CaseRecorder } from './recorder.ts';
import { recorderTools } from './session.test.support.ts';

function recorder(redactor = new Redactor([])): CaseRecorder {
  return new CaseRecorder({ ...recorderTools(), redactor, code: envelopeCode });
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

const stream: SampleParts = { headers: [['Content-Type', 'text/event-stream']] };
const lostOf = (seen: CaseRecorder) =>
  seen.outcome({ section: 's', title: 't', judges: ['r'] }).lost ?? [];

function whyLost(parts: SampleParts, cause?: string): string | undefined {
  const seen = recorder(new Redactor([new Secret('key', 'sk-very-secret')]));
  seen.exchange({ ...sampleExchange(parts), cause });
  return lostOf(seen)[0]?.why;
}

test.for<[string, SampleParts, string | undefined]>([
  ['an answer that is read', {}, undefined],
  ['one that never came', { ending: 'timeout' }, 'it ended "timeout"'],
  ['one that we did not wait for', { ending: 'aborted' }, undefined],
  ['a stream that is cut off', { ...stream, ending: 'cut-short' }, undefined],
  ['a stream that never ends', { ...stream, ending: 'too-large' }, 'it ended "too-large"'],
  ['what says that it is JSON and is empty', { body: '' }, 'the body is empty'],
  ['the same where no body is asked for', { body: '', method: 'HEAD' }, undefined],
  ['text that says so', { body: 'no', headers: [['Content-Type', 'text/plain']] }, undefined],
])('%s', ([, parts, why]) => {
  expect(whyLost(parts)).toBe(why);
});

test('no secret is in the words', () => {
  const why = whyLost({ ending: 'malformed' }, 'it sent "sk-very-secret"');
  expect(why).toBe('it ended "malformed": it sent "‹key›"');
});

test('each reason is told once, with the first exchange and their number', () => {
  const seen = recorder();
  const first = sampleExchange({ ending: 'reset' });
  seen.exchange({ ...first, cause: 'one' });
  seen.exchange({ ...sampleExchange({ ending: 'reset' }), cause: 'another' });
  const other = sampleExchange({ body: '[' });
  seen.exchange(other);
  expect(lostOf(seen)).toMatchObject([
    { exchange: first.id, why: 'it ended "reset": one', count: 2 },
    { exchange: other.id, count: 1 },
  ]);
});
