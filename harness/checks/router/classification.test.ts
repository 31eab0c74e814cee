import { describe, expect, test } from 'vitest';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import {
  bytesKept,
  classifiedAs,
  classifiedEnds,
  classify,
  messageHolds,
  noRateLimit,
  rawMessageIsBeginning,
  rawMessageTruncated,
} from './classification.ts';
import {
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from './sample.test.support.ts';

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

const withMessage = (message: string) =>
  sampleExchange({
    status: 400,
    body: { error: { code: 'invalid_parameter', message, source: 'backend' } },
  });

describe('what an error became', () => {
  const plain = { status: 400, body: '' };
  const doubtful = { status: 400, body: '{"message":"contextual tokenizer"}' };
  const ended = (code: string) => sampleError(400, code, 'backend');
  const told = withMessage('engine: no top_p');
  testVerdicts([
    ['the one code of the tables', 'held', classifiedAs(ended('invalid_parameter'), plain)],
    ['another code', 'broken', classifiedAs(ended('context_length_exceeded'), plain)],
    ['either of two codes', 'unseen', classifiedAs(ended('request_invalid'), doubtful)],
    ['no rate limit', 'held', noRateLimit(sampleError(503, 'backend_unavailable', 'backend'))],
    ['the status of one', 'broken', noRateLimit(sampleError(429, 'backend_unavailable'))],
    ['the code of one', 'broken', noRateLimit(sampleError(503, 'rate_limit_exceeded'))],
    ['no response', 'unseen', noRateLimit(withoutResponse(sampleExchange()))],
    ['the message of the engine', 'held', messageHolds(told, 'no top_p')],
    ['another message', 'broken', messageHolds(told, 'no top_k')],
    ['no message', 'unseen', messageHolds(sampleExchange(), 'x'), messageHolds(told, '')],
  ]);
});

describe('a raw message', () => {
  const ascii = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
  // 511 bytes, then a character of four.
  const raw = `${ascii.slice(0, 511)}😀${ascii.slice(511)}`;
  const bytes = Buffer.from(raw);
  const upTo = (end: number) => withMessage(bytes.subarray(0, end).toString());
  const marked = withMessage(`${bytes.subarray(0, 500).toString()}…`);
  const wide = Array.from({ length: 400 }, (_, at) => `ä${at}`).join('');
  const memory = withMessage('out of memory');
  testVerdicts([
    ['cut before the character', 'held', rawMessageTruncated(upTo(511), raw)],
    ['cut through it, mended', 'held', rawMessageTruncated(upTo(512), raw)],
    ['cut short and marked', 'held', rawMessageTruncated(marked, raw)],
    ['whole', 'broken', rawMessageTruncated(withMessage(raw), raw)],
    ['cut after the character', 'broken', rawMessageTruncated(upTo(515), raw)],
    ['more bytes', 'broken', rawMessageTruncated(withMessage(wide.slice(0, 512)), wide)],
    ['none of the body', 'unseen', rawMessageTruncated(withMessage('!'), raw)],
    ['of a short body', 'unseen', rawMessageTruncated(withMessage('short'), 'short')],
    [
      'the beginning',
      'held',
      rawMessageIsBeginning(upTo(511), raw),
      rawMessageIsBeginning(upTo(512), raw),
    ],
    ['the beginning, marked', 'held', rawMessageIsBeginning(marked, raw)],
    ['the end', 'broken', rawMessageIsBeginning(withMessage(ascii.slice(-300)), ascii)],
    ['something else', 'broken', rawMessageIsBeginning(withMessage('failed'), 'out of memory')],
    ['all of a short one', 'held', rawMessageIsBeginning(memory, 'out of memory')],
  ]);

  test('counts bytes', () => {
    expect(bytesKept('xxäö', 'äöü')).toBe(4);
    expect(bytesKept('none', 'äöü')).toBe(0);
  });
});
