import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  beganUntouched,
  keptEnvelope,
  lostAnswerNotWhole,
  passedUntouched,
  unclassified,
  wrapped,
} from './proxied.ts';
import {
  sampleError,
  sampleExchange,
  type SampleParts,
  withoutResponse,
} from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';

const gzipped = [['Content-Encoding', 'gzip']] as const;

describe('a success', () => {
  const sent = { status: 200, body: Buffer.from('{"a": 1}') };
  const passed = (parts: SampleParts) => passedUntouched(sampleExchange(parts), sent);
  testVerdicts([
    ['its status and bytes', 'held', passed({ body: '{"a": 1}' })],
    ['its bytes, compressed', 'held', passed({ body: gzipSync(sent.body), headers: gzipped })],
    ['other bytes', 'broken', passed({ body: '{"a":1}' })],
    ['other bytes, compressed', 'broken', passed({ body: gzipSync('{"a":1}'), headers: gzipped })],
    ['another status', 'broken', passed({ status: 201, body: '{"a": 1}' })],
    ['cut short', 'broken', passed({ body: '{"a":', ending: 'cut-short' })],
    ['lost on its way', 'unseen', passed({ ending: 'reset' })],
    ['no response', 'unseen', passedUntouched(withoutResponse(sampleExchange()), sent)],
  ]);

  test('bytes that read alike as text are told in hexadecimal', () => {
    const { violations } = passedUntouched(sampleExchange({ body: '\u{fffd}' }), {
      status: 200,
      body: Buffer.from([0x80]),
    });
    expect(violations).toMatchObject([{ expected: 'bytes 80', actual: 'bytes efbfbd' }]);
  });
});

describe('a success that broke off', () => {
  const sent = Buffer.from('data: 1\n\ndata: 2\n\n');
  const began = (body: string, status = 200) =>
    beganUntouched(sampleExchange({ status, body, ending: 'cut-short' }), sent);
  testVerdicts([
    ['the beginning of its bytes', 'held', began('data: 1\n\nda')],
    ['an event of the router', 'broken', began('data: 1\n\nevent: error\n\n')],
    ['more than was sent', 'broken', began(`${sent.toString()}data: 3\n\n`)],
    ['a whole body of the router', 'broken', beganUntouched(sampleExchange({ body: '{}' }), sent)],
    ['an error in its place', 'unseen', began('{"error":{}}', 502)],
    [
      'what cannot be decompressed',
      'unseen',
      beganUntouched(sampleExchange({ body: 'cut', headers: gzipped, ending: 'cut-short' }), sent),
    ],
  ]);
});

describe('an error', () => {
  const right = sampleError(502, 'backend_error', 'backend');
  const classified = sampleError(400, 'invalid_parameter', 'backend');
  const ended = sampleError(503, 'no_agents_available');
  const sent = { code: 'context_length_exceeded', source: 'backend' } as const;
  const retried = { code: 'backend_unavailable', source: 'backend' } as const;
  testVerdicts([
    ['is wrapped', 'held', wrapped(right), unclassified(right)],
    ['is classified', 'broken', wrapped(classified), unclassified(classified)],
    ['keeps its envelope', 'held', keptEnvelope(sampleError(400, sent.code, 'backend'), sent)],
    ['gets another source', 'broken', keptEnvelope(sampleError(400, sent.code, 'router'), sent)],
    ['gets another code', 'broken', keptEnvelope(right, sent), keptEnvelope(ended, sent)],
    ['is hidden by the tries that follow', 'held', keptEnvelope(ended, retried)],
  ]);
});

describe('the beginning of a lost answer', () => {
  const whole = '{"choices":[{"index":0}]}';
  const body = whole.slice(0, 12);
  const framed = [['Content-Length', '12']] as const;
  const chunked = [['Transfer-Encoding', 'chunked']] as const;
  const lost = (parts: SampleParts) => lostAnswerNotWhole(sampleExchange(parts), whole);
  testVerdicts([
    ['ends whole', 'broken', lost({ headers: framed, body }), lost({ headers: chunked, body })],
    ['is empty', 'broken', lost({ headers: [['Content-Length', '0']], body: '' })],
    ['ends early', 'held', lost({ headers: framed, body, ending: 'cut-short' })],
    ['is reset', 'held', lost({ headers: framed, body, ending: 'reset' })],
    ['is an error', 'held', lost({ headers: framed, status: 502, body: { error: {} } })],
    ['is another answer', 'held', lost({ headers: framed, body: { choices: [] } })],
    ['ends with its connection', 'unseen', lost({ headers: [], body })],
  ]);
});
