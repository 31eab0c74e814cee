import { expect, test } from 'vitest';
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
import { answers, sampleError, sampleExchange, testAnswers } from './sample.test.support.ts';

const { served, notFound, invalid } = answers;
const down = sampleError(503, 'backend_unavailable', 'backend');
const codes = acceptableFinalCodes('backend-down');

testAnswers(
  [
    ['a success', succeeded, 'created | moved | lost'],
    ['the status asked for', (one) => hasStatus(one, 404), 'notFound | served | lost'],
    ['plain text', (one) => hasMediaType(one, 'text/plain'), 'plain || down'],
    ['labelled as JSON', (one) => hasMediaType(one, 'application/json'), '| plain'],
    ['the text of the engine', (one) => answeredWith(one, 'the second'), 'second'],
    ['another text', (one) => answeredWith(one, 'the first'), '| second | lost'],
    ['output that was discarded', (one) => discarded(one, 'the output'), 'down | told'],
    ['output of a success', (one) => discarded(one, 'the second'), '|| second'],
    ['unknown to a plain key', (one) => modelNotFound(one, true), 'notFound | denied'],
    ['unknown to a key with a list', (one) => modelNotFound(one, false), '| served | denied'],
    ['a route', routeAnswers, 'denied | nothing | served'],
    [
      'as is not found',
      (one) => sameError(notFound, one),
      'notFound | denied byAgent | served cut',
    ],
    ['as is served', (one) => sameError(served, one), '|| notFound'],
    // Whatever the answer says.
    ['a body over the limit', refusedAsTooLarge, 'tooLarge | notFound | lost'],
    ['a body within the limit', notTooLarge, 'notFound | tooLarge | lost'],
    ['an id of 256 characters', (one) => judgedByLength(one, 256, notFound), 'notFound | invalid'],
    ['an id of 257 characters', (one) => judgedByLength(one, 257, notFound), 'invalid | notFound'],
    ['a long id', (one) => notRefusedForLength(one, notFound), 'notFound | invalid'],
    ['a long id, the short one refused', (one) => notRefusedForLength(one, invalid), '| invalid'],
    ['a long id, the short one served', (one) => notRefusedForLength(one, served), '|| notFound'],
    ['no UTF-8', refusedOrReadAllTheSame, 'invalid served fromEngine | failed odd | noAgents away'],
    ['the end of retries', (one) => endedWith(one, codes), 'down | limited served tooLarge | lost'],
    ['a large body', (one) => endedWith(one, codes), '| limited | oversize'],
  ],
  {
    created: sampleExchange({ status: 201 }),
    moved: sampleExchange({ status: 302 }),
    plain: sampleExchange({ headers: [['content-type', 'Text/Plain; charset=utf-8']] }),
    second: sampleExchange({ body: { text: 'the second' } }),
    down,
    told: sampleError(429, 'the output'),
    nothing: sampleExchange({ status: 404, body: 'nothing' }),
    byAgent: sampleError(404, 'model_not_found', 'backend'),
    fromEngine: sampleError(400, 'invalid_parameter', 'backend'),
    oversize: sampleExchange({ status: 413, body: '', request: 'x'.repeat(1_100) }),
    odd: sampleError(400, 'invalid_encoding'),
    away: sampleError(503, 'agent_disconnected'),
  },
);

test('a code that stops the session stands alone, and no rate limit is the end of retries', () => {
  const retried = ['backend_error', 'no_agents_available', 'no_capacity'];
  expect(endsOf('request_invalid')).toEqual(['request_invalid']);
  expect(endsOf('backend_error')).toEqual(retried);
  expect(codes).toEqual(['backend_unavailable', 'no_agents_available', 'no_capacity']);
});
