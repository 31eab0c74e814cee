import { describe, expect, test } from 'vitest';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { classifiedEnds, classify } from './classification.ts';
import { acceptableFinalCodes, endedWith, endsOf } from './outcome.ts';
import {
  keptEnvelope,
  beganUntouched,
  passedUntouched,
  proxiedOutcome,
  unclassified,
  wrapped,
} from './proxied.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';

const both: readonly RouterCode[] = ['context_length_exceeded', 'invalid_parameter'];

describe('classification', () => {
  test.each([400, 422, 429, 503, 500, 418])('a known type wins over %i', (status) => {
    for (const [type, code] of [
      ['context_length_exceeded', 'context_length_exceeded'],
      ['invalid_request_error', 'invalid_parameter'],
      ['invalid_parameter', 'invalid_parameter'],
    ]) {
      expect(classify({ status, body: JSON.stringify({ type }) })).toEqual([code]);
      const nested = { error: { type, message: 'the context length was exceeded' } };
      expect(classify({ status, body: JSON.stringify(nested) })).toEqual([code]);
    }
  });

  test.each<[number, unknown, readonly RouterCode[]]>([
    [400, { error: { type: 'other', message: 'bad' } }, ['invalid_parameter']],
    [422, { type: 7 }, ['invalid_parameter']],
    [400, '<html>', ['invalid_parameter']],
    [400, '', ['invalid_parameter']],
    [400, { error: { message: 'maximum CONTEXT Length is 10' } }, ['context_length_exceeded']],
    [422, { message: 'too many tokens for the context' }, ['context_length_exceeded']],
    [400, 'window of context is full', ['context_length_exceeded']],
    [400, { error: 'context_window' }, ['context_length_exceeded']],
    [429, { message: 'context length' }, ['backend_unavailable']],
    [503, 'down', ['backend_unavailable']],
    [500, 'context length', ['backend_error']],
    [401, {}, ['backend_error']],
    [599, {}, ['backend_error']],
    [200, {}, []],
    [302, {}, ['backend_error']],
    [204, {}, []],
  ])('%i with %j becomes %j', (status, body, codes) => {
    expect(
      classify({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ).toEqual(codes);
  });

  test.each<[string, unknown]>([
    ['words are parts of others', { message: 'contextual tokenizer' }],
    ['the wording stands outside the message', { message: 'context', hint: 'length' }],
    ['the wording stands late in a raw body', `${'x '.repeat(400)} context length`],
  ])('where %s both readings are accepted', (_, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect(classify({ status: 400, body: text })).toEqual(both);
  });

  test('two places that disagree leave it open', () => {
    const body = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(classify({ status: 500, body })).toEqual(['invalid_parameter', 'backend_error']);
    const two = JSON.stringify({
      type: 'invalid_parameter',
      error: { type: 'context_length_exceeded' },
    });
    expect(classify({ status: 400, body: two })).toEqual([
      'invalid_parameter',
      'context_length_exceeded',
    ]);
  });

  test('ends add the end of retries where a session goes on', () => {
    expect(classifiedEnds({ status: 400, body: '' })).toEqual(['invalid_parameter']);
    expect(classifiedEnds({ status: 429, body: '' })).toEqual([
      'backend_unavailable',
      'no_agents_available',
      'no_capacity',
    ]);
  });

  test('wording beyond the beginning of a body without a message is doubtful', () => {
    const error = (trace: string) =>
      classify({ status: 400, body: JSON.stringify({ trace, error: 'context length' }) });
    expect(error('')).toEqual(['context_length_exceeded']);
    expect(error('x'.repeat(600))).toEqual(['context_length_exceeded', 'invalid_parameter']);
  });
});

describe('final codes', () => {
  test('a code that stops the session stands alone', () => {
    expect(endsOf('request_invalid')).toEqual(['request_invalid']);
    expect(endsOf('backend_error')).toEqual([
      'backend_error',
      'no_agents_available',
      'no_capacity',
    ]);
  });

  test('no provocation ends as a rate limit', () => {
    for (const provocation of [
      'agent-gone',
      'backend-down',
      'backend-dropped',
      'slots-full',
    ] as const) {
      expect(acceptableFinalCodes(provocation)).not.toContain('rate_limit_exceeded');
      expect(acceptableFinalCodes(provocation)).toContain('no_agents_available');
    }
    expect(acceptableFinalCodes('provider-failed')).toEqual(['backend_error']);
  });

  test('an end is judged by its code', () => {
    const codes = acceptableFinalCodes('backend-down');
    expect(endedWith(sampleError(503, 'backend_unavailable', 'backend'), codes)).toEqual({
      seen: 1,
      violations: [],
    });
    expect(endedWith(sampleError(429, 'rate_limit_exceeded'), codes).violations).toHaveLength(1);
    expect(endedWith(sampleExchange(), codes).violations).toHaveLength(1);
    expect(endedWith(withoutResponse(sampleExchange()), codes).seen).toBe(0);
  });
});

describe('proxied outcomes', () => {
  const answer = (status: number, value: unknown) => ({
    status,
    body: Buffer.from(JSON.stringify(value)),
  });
  const envelope = { code: 'context_length_exceeded', message: 'm', source: 'backend' };

  test.each([
    [201, {}, 'untouched'],
    [302, {}, 'open'],
    [400, { error: envelope }, 'kept'],
    [400, { error: { code: 'x', message: 'm' } }, 'near-envelope'],
    [400, { error: { type: 'invalid_request_error', message: 'm' } }, 'wrapped'],
    [500, 'text', 'wrapped'],
  ])('%i with %j is %s', (status, value, kind) => {
    expect(proxiedOutcome(answer(status, value)).kind).toBe(kind);
  });

  test('a success is compared by status and bytes', () => {
    const sent = { status: 200, body: Buffer.from('{"a": 1}') };
    expect(passedUntouched(sampleExchange({ body: '{"a": 1}' }), sent)).toEqual({
      seen: 2,
      violations: [],
    });
    expect(passedUntouched(sampleExchange({ body: '{"a":1}' }), sent).violations).toHaveLength(1);
    expect(
      passedUntouched(sampleExchange({ status: 201, body: '{"a": 1}' }), sent).violations,
    ).toHaveLength(1);
    expect(passedUntouched(sampleExchange({ ending: 'reset' }), sent).seen).toBe(0);
    const short = sampleExchange({ body: '{"a":', ending: 'cut-short' });
    expect(passedUntouched(short, sent).violations).toHaveLength(1);
    expect(passedUntouched({ ...short, response: undefined }, sent).seen).toBe(0);
  });

  test('a stream that broke off is the beginning of its bytes', () => {
    const sent = Buffer.from('data: 1\n\ndata: 2\n\n');
    const seen = (body: string, status = 200) =>
      beganUntouched(sampleExchange({ status, body, ending: 'cut-short' }), sent);
    expect(seen('data: 1\n\nda')).toEqual({ seen: 1, violations: [] });
    expect(seen('data: 1\n\nevent: error\n\n').violations).toHaveLength(1);
    expect(seen(`${sent.toString()}data: 3\n\n`).violations).toHaveLength(1);
    expect(seen('{"error":{}}', 502).seen).toBe(0);
  });

  test('a foreign error is wrapped and not classified', () => {
    const right = sampleError(502, 'backend_error', 'backend');
    const wrong = sampleError(400, 'invalid_parameter', 'backend');
    expect(
      [wrapped(right), unclassified(right)].flatMap((judgement) => judgement.violations),
    ).toEqual([]);
    expect(wrapped(wrong).violations).toHaveLength(1);
    expect(unclassified(wrong).violations).toHaveLength(1);
  });

  test('code and source of an envelope are kept', () => {
    const sent = { code: 'context_length_exceeded', source: 'backend' } as const;
    expect(keptEnvelope(sampleError(400, sent.code, 'backend'), sent).violations).toEqual([]);
    expect(keptEnvelope(sampleError(400, sent.code, 'router'), sent).violations).toHaveLength(1);
    expect(
      keptEnvelope(sampleError(502, 'backend_error', 'backend'), sent).violations,
    ).toHaveLength(1);
    expect(keptEnvelope(sampleError(503, 'no_agents_available'), sent).violations).toHaveLength(1);
    const retried = { code: 'backend_unavailable', source: 'backend' } as const;
    expect(keptEnvelope(sampleError(503, 'no_agents_available'), retried).violations).toEqual([]);
  });
});
