import { expect, test } from 'vitest';
import { sampleExchange, type SampleParts } from '../checks/router/sample.test.support.ts';
import { Redactor } from '../exchange/redaction.ts';
import { Secret } from '../target/keys.ts';
import { LostCount } from './lost.ts';

const stream: SampleParts = { headers: [['Content-Type', 'text/event-stream']] };

function whyLost(parts: SampleParts, cause?: string): string | undefined {
  const count = new LostCount(({ id }) => id, new Redactor([new Secret('key', 'sk-very-secret')]));
  count.add({ ...sampleExchange(parts), cause });
  return count.rows[0]?.why;
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
  const count = new LostCount(({ id }) => id, new Redactor([]));
  const first = sampleExchange({ ending: 'reset' });
  count.add({ ...first, cause: 'one' });
  count.add({ ...sampleExchange({ ending: 'reset' }), cause: 'another' });
  const other = sampleExchange({ body: '[' });
  count.add(other);
  expect(count.rows).toMatchObject([
    { exchange: first.id, why: 'it ended "reset": one', count: 2 },
    { exchange: other.id, count: 1 },
  ]);
});
