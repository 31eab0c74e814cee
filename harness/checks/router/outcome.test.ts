import { describe, expect, test } from 'vitest';
import {
  acceptableFinalCodes,
  answeredWith,
  discarded,
  endedWith,
  endsOf,
  hasMediaType,
  hasStatus,
  judgedByLength,
  modelNotFound,
  notRefusedForLength,
  notTooLarge,
  refusedAsTooLarge,
  refusedOrReadAllTheSame,
  routeAnswers,
  sameError,
  succeeded,
} from './outcome.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';

const served = sampleExchange();
const silent = withoutResponse(served);
const notFound = sampleError(404, 'model_not_found');
const denied = sampleError(403, 'model_forbidden');
const invalid = sampleError(400, 'request_invalid');
const failed = sampleError(503, 'backend_unavailable', 'backend');
const tooLarge = sampleExchange({ status: 413, body: 'too large' });
const typed = sampleExchange({ headers: [['content-type', 'Text/Plain; charset=utf-8']] });
const second = sampleExchange({ body: { text: 'the second' } });

describe('successes', () => {
  testVerdicts([
    ['a 2xx succeeded', 'held', succeeded(sampleExchange({ status: 201 }))],
    ['another status did not', 'broken', succeeded(sampleExchange({ status: 302 }))],
    ['the status asked for', 'held', hasStatus(notFound, 404)],
    ['another status than asked for', 'broken', hasStatus(served, 404)],
    ['the content type of the engine', 'held', hasMediaType(typed, 'text/plain')],
    ['another content type', 'broken', hasMediaType(typed, 'application/json')],
    ['the content type of an error', 'unseen', hasMediaType(failed, 'text/plain')],
    ['the text of the engine', 'held', answeredWith(second, 'the second')],
    ['another text', 'broken', answeredWith(second, 'the first')],
    ['output that was discarded', 'held', discarded(failed, 'the output')],
    ['output in an error', 'broken', discarded(sampleError(429, 'the output'), 'the output')],
    ['output of a success', 'unseen', discarded(second, 'the second')],
    ['no response', 'unseen', succeeded(silent), hasStatus(silent, 404), answeredWith(silent, 'x')],
  ]);
});

describe('unknown models', () => {
  testVerdicts([
    ['not found', 'held', modelNotFound(notFound, true)],
    ['served', 'broken', modelNotFound(served, false)],
    ['forbidden for a key that could have an allowlist', 'unseen', modelNotFound(denied, false)],
    ['forbidden for a plain key', 'broken', modelNotFound(denied, true)],
    ['the envelope shows a route', 'held', routeAnswers(denied)],
    ['no envelope', 'broken', routeAnswers(sampleExchange({ status: 404, body: 'nothing' }))],
    ['a success shows no route', 'unseen', routeAnswers(served)],
    ['two refusals alike', 'held', sameError(notFound, sampleError(404, 'model_not_found'))],
    ['another code', 'broken', sameError(notFound, denied)],
    ['one that was served', 'unseen', sameError(notFound, served), sameError(served, notFound)],
    [
      'another source',
      'broken',
      sameError(notFound, sampleError(404, 'model_not_found', 'backend')),
    ],
    ['one cut short', 'unseen', sameError(notFound, sampleExchange({ ending: 'cut-short' }))],
  ]);
});

describe('limits on requests', () => {
  testVerdicts([
    ['a body over the limit, whatever the answer says', 'held', refusedAsTooLarge(tooLarge)],
    ['a body over the limit, not refused for it', 'broken', refusedAsTooLarge(notFound)],
    ['a body within the limit', 'held', notTooLarge(notFound)],
    ['a body within the limit, refused', 'broken', notTooLarge(tooLarge)],
    ['no response', 'unseen', refusedAsTooLarge(silent), notTooLarge(silent)],
    ['an id refused like a short one', 'held', notRefusedForLength(notFound, notFound)],
    ['an id refused as invalid', 'broken', notRefusedForLength(invalid, notFound)],
    ['an id refused as invalid, both', 'broken', notRefusedForLength(invalid, invalid)],
    ['a short id that is served', 'unseen', notRefusedForLength(notFound, served)],
    ['256 is permitted', 'held', judgedByLength(notFound, 256, notFound)],
    ['256 is permitted', 'broken', judgedByLength(invalid, 256, notFound)],
    ['257 is too long', 'held', judgedByLength(invalid, 257, notFound)],
    ['257 is too long', 'broken', judgedByLength(notFound, 257, notFound)],
  ]);
});

describe('a body that is no UTF-8', () => {
  const handedOn = sampleError(400, 'invalid_parameter', 'backend');
  const noRoom = sampleError(503, 'no_agents_available');
  testVerdicts([
    ['refused as invalid', 'held', refusedOrReadAllTheSame(invalid)],
    ['read with replacement characters', 'held', refusedOrReadAllTheSame(served)],
    ['handed on to an engine that refuses it', 'held', refusedOrReadAllTheSame(handedOn)],
    ['nobody there to serve it', 'unseen', refusedOrReadAllTheSame(noRoom)],
    ['fails the router', 'broken', refusedOrReadAllTheSame(sampleError(500, 'backend_error'))],
    ['a code of its own', 'broken', refusedOrReadAllTheSame(sampleError(400, 'invalid_encoding'))],
  ]);
});

describe('final codes', () => {
  const codes = acceptableFinalCodes('backend-down');
  testVerdicts([
    ['a code of the provocation', 'held', endedWith(failed, codes)],
    ['another code', 'broken', endedWith(sampleError(429, 'rate_limit_exceeded'), codes)],
    ['a success', 'broken', endedWith(served, codes)],
    ['no response', 'unseen', endedWith(silent, codes)],
  ]);

  test('a code that stops the session stands alone, and no rate limit is the end of retries', () => {
    const retried = ['backend_error', 'no_agents_available', 'no_capacity'];
    expect(endsOf('request_invalid')).toEqual(['request_invalid']);
    expect(endsOf('backend_error')).toEqual(retried);
    expect(codes).toEqual(['backend_unavailable', 'no_agents_available', 'no_capacity']);
  });
});
