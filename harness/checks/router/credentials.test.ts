import { describe, expect, test } from 'vitest';
import {
  challengesIn,
  forbidden,
  letIn,
  mayUse,
  opensNothing,
  refused,
  sameRefusal,
} from './credentials.ts';
import {
  challenge,
  SAMPLE_ID,
  sampleError,
  sampleExchange,
  withoutResponse,
} from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';

const unauthorized = sampleError(401, 'unauthorized', 'router', { headers: [challenge] });
const notFound = sampleError(404, 'model_not_found');
const denied = sampleError(403, 'model_forbidden');
const noRoom = sampleError(503, 'no_capacity');
const overBudget = sampleError(429, 'token_limit_exceeded');
const served = sampleExchange();
const silent = withoutResponse(served);
const OTHER_ID = '0190a7c2-6b1e-7c3d-8e4f-000000000000';

testVerdicts([
  ['a 401 refuses', 'held', refused(unauthorized)],
  ['nothing else refuses', 'broken', refused(served), refused(denied), refused(notFound)],
  // A refusal about the model shows that the key was accepted.
  ['let in', 'held', letIn(notFound), letIn(denied)],
  ['not let in', 'broken', letIn(unauthorized), letIn(sampleError(403, 'other'))],
  ['another role opens a route', 'broken', opensNothing(served)],
  ['another role opens nothing', 'held', ...[unauthorized, denied, notFound].map(opensNothing)],
  ['a server that fails', 'unseen', opensNothing(silent), opensNothing(noRoom)],
  ['a model of the allowlist', 'held', mayUse(served), mayUse(noRoom)],
  ['a model of the allowlist is refused', 'broken', mayUse(denied), mayUse(notFound)],
  ['another model is forbidden', 'held', forbidden(denied)],
  ['another model is not', 'broken', ...[served, notFound, overBudget].map(forbidden)],
  ['forbidden by another status', 'broken', forbidden(sampleError(400, 'model_forbidden'))],
  ['a model unfit for the route', 'unseen', forbidden(sampleError(400, 'request_invalid'))],
  ['a model without quota', 'unseen', forbidden(sampleError(429, 'rate_limit_exceeded'))],
  ['no response', 'unseen', ...[refused, letIn, mayUse, forbidden].map((check) => check(silent))],
]);

describe('the same refusal', () => {
  const refusal = (body: unknown, realm = 'router', status = 401) =>
    sampleExchange({ status, body, headers: [['WWW-Authenticate', `Bearer realm="${realm}"`]] });
  const own = (more: object, error: object = {}) =>
    refusal({
      error: { code: 'unauthorized', message: 'no', source: 'router', ...error },
      ...more,
    });
  const moved = ([at, later]: readonly [unknown, unknown]) =>
    sameRefusal([refusal({ at })], refusal({ at: later })).body;
  const first = refusal('a');

  testVerdicts([
    ['its status', 'broken', sameRefusal([first], refusal('a', 'router', 403)).status],
    ['its body', 'broken', sameRefusal([first], refusal('b')).body],
    ['its challenge', 'broken', sameRefusal([first], refusal('a', 'other')).challenge],
    ['all of it', 'held', ...Object.values(sameRefusal([first], refusal('a')))],
    ['no response', 'unseen', ...Object.values(sameRefusal([first], withoutResponse(first)))],
    ['an id', 'held', moved([SAMPLE_ID, OTHER_ID])],
    ['another number', 'broken', moved([1, 2])],
    ['a moment', 'held', moved(['2026-11-21T19:26:19Z', '2026-11-21T19:26:20Z'])],
    [
      'a moment with an offset',
      'held',
      moved(['2026-11-21T20:26:19.998+01:00', '2026-11-21T20:26:20+01:00']),
    ],
    ['seconds', 'held', moved([1_795_289_179, 1_795_289_180])],
    ['milliseconds', 'held', moved([1_795_289_179_998, 1_795_289_180_001])],
    ['parts of seconds', 'held', moved([1_795_289_179.5, 1_795_289_180.25])],
    ...(
      [
        ['an id of its own', 'held', [own({ id: 'k' }), own({ id: 'm' })], own({ id: 'l' })],
        [
          'an id inside',
          'held',
          [own({}, { id: 'k' }), own({}, { id: 'm' })],
          own({}, { id: 'l' }),
        ],
        ['a reason', 'broken', [own({ why: 'none' }), own({ why: 'none' })], own({ why: 'wrong' })],
        [
          'a code',
          'broken',
          [own({}, { code: 'a' }), own({}, { code: 'c' })],
          own({}, { code: 'b' }),
        ],
        ['a member more', 'broken', [own({}), own({})], own({ why: 'wrong' })],
        ['an id, seen once', 'held', [own({ id: 'k' })], own({ id: 'l' })],
        ['a message, seen once', 'broken', [own({})], own({}, { message: 'wrong' })],
      ] as const
    ).map(
      ([what, verdict, others, other]) => [what, verdict, sameRefusal(others, other).body] as const,
    ),
  ]);
});

test.for([
  [['Bearer realm="the router"'], [['bearer', { realm: 'the router' }]]],
  [
    [String.raw`bearer Realm=router, error="a \"b\", c"`],
    [['bearer', { realm: 'router', error: 'a "b", c' }]],
  ],
  [
    ['Basic realm="a", Bearer realm="b"'],
    [
      ['basic', { realm: 'a' }],
      ['bearer', { realm: 'b' }],
    ],
  ],
  [
    ['Basic realm="a"', 'Bearer realm="b"'],
    [
      ['basic', { realm: 'a' }],
      ['bearer', { realm: 'b' }],
    ],
  ],
  [['Bearer'], [['bearer', {}]]],
  [['Basic realm="Bearer realm"'], [['basic', { realm: 'Bearer realm' }]]],
] as const)('the challenges of %j are %j', ([lines, challenges]) => {
  const read = challengesIn(lines).map((one) => [one.scheme, Object.fromEntries(one.parameters)]);
  expect(read).toEqual(challenges);
});
