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
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';

const LONG = 'context_length_exceeded';
const PARAMETER = 'invalid_parameter';
const DOWN = 'backend_unavailable';
const FAILED = 'backend_error';

test.each<[status: number, body: unknown, codes: readonly RouterCode[]]>([
  ...[400, 422, 429, 503, 500, 418].flatMap((status): [number, unknown, RouterCode[]][] => [
    [status, { type: LONG }, [LONG]],
    [status, { type: 'invalid_request_error' }, [PARAMETER]],
    [
      status,
      { error: { type: PARAMETER, message: 'the context length was exceeded' } },
      [PARAMETER],
    ],
  ]),
  [400, { error: { type: 'other', message: 'bad' } }, [PARAMETER]],
  [422, { type: 7 }, [PARAMETER]],
  [400, '<html>', [PARAMETER]],
  [400, '', [PARAMETER]],
  [400, { error: { message: 'maximum CONTEXT Length is 10' } }, [LONG]],
  [422, { message: 'too many tokens for the context' }, [LONG]],
  [400, 'window of context is full', [LONG]],
  [400, { error: 'context window' }, [LONG]],
  [429, { message: 'context length' }, [DOWN]],
  [503, 'down', [DOWN]],
  [500, 'context length', [FAILED]],
  [401, {}, [FAILED]],
  [599, {}, [FAILED]],
  [302, {}, [FAILED]],
  [200, {}, []],
  [204, {}, []],
  // Words that are parts of others, outside the message, or late in a body without a message.
  [400, { message: 'contextual tokenizer' }, [LONG, PARAMETER]],
  [400, { error: 'context_window' }, [LONG, PARAMETER]],
  [400, { message: 'context', hint: 'length' }, [LONG, PARAMETER]],
  [400, `${'x '.repeat(400)} context length`, [LONG, PARAMETER]],
  [400, { trace: 'x'.repeat(600), error: 'context length' }, [LONG, PARAMETER]],
  // Two places that disagree.
  [500, { type: 'error', error: { type: 'invalid_request_error' } }, [PARAMETER, FAILED]],
  [400, { type: PARAMETER, error: { type: LONG } }, [PARAMETER, LONG]],
])('%i with %j becomes %j', (status, body, codes) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(classify({ status, body: text })).toEqual(codes);
});

test('ends add the end of retries where a session goes on', () => {
  expect(classifiedEnds({ status: 400, body: '' })).toEqual([PARAMETER]);
  const ends = [DOWN, 'no_agents_available', 'no_capacity'];
  expect(classifiedEnds({ status: 429, body: '' })).toEqual(ends);
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
  const answered = withMessage('engine: no top_p');
  testVerdicts([
    ['the one code of the tables', 'held', classifiedAs(ended('invalid_parameter'), plain)],
    ['another code', 'broken', classifiedAs(ended('context_length_exceeded'), plain)],
    ['either of two codes', 'unseen', classifiedAs(ended('request_invalid'), doubtful)],
    ['no rate limit', 'held', noRateLimit(sampleError(503, 'backend_unavailable', 'backend'))],
    ['the status of one', 'broken', noRateLimit(sampleError(429, 'backend_unavailable'))],
    ['the code of one', 'broken', noRateLimit(sampleError(503, 'rate_limit_exceeded'))],
    ['no response', 'unseen', noRateLimit(withoutResponse(sampleExchange()))],
    ['the message of the engine', 'held', messageHolds(answered, 'no top_p')],
    ['another message', 'broken', messageHolds(answered, 'no top_k')],
    ['no message', 'unseen', messageHolds(sampleExchange(), 'x'), messageHolds(answered, '')],
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
    ['the beginning', 'held', rawMessageIsBeginning(upTo(511), raw)],
    ['the beginning', 'held', rawMessageIsBeginning(upTo(512), raw)],
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
