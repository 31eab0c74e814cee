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
  SAMPLE_ID,
  sampleError,
  sampleExchange,
  testAnswers,
  withoutResponse,
} from './sample.test.support.ts';
import { outcomeOf, type Verdict, testVerdicts } from '../verdict.test.support.ts';

const OTHER_ID = '0190a7c2-6b1e-7c3d-8e4f-000000000000';

testAnswers(
  [
    ['refused', refused, 'unauthorized | served denied notFound | lost'],
    // A refusal about the model shows that the key was accepted.
    ['let in', letIn, 'notFound denied | unauthorized other | lost'],
    ['no opening', opensNothing, 'unauthorized denied notFound | served | lost noCapacity'],
    ['a model of the allowlist', mayUse, 'served noCapacity | denied notFound | lost'],
    ['forbidden', forbidden, 'denied | served notFound overBudget by400 | invalid limited lost'],
  ],
  { other: sampleError(403, 'other'), by400: sampleError(400, 'model_forbidden') },
);

describe('the same refusal', () => {
  const refusal = (body: unknown, realm = 'router', status = 401) =>
    sampleExchange({ status, body, headers: [['WWW-Authenticate', `Bearer realm="${realm}"`]] });
  const own = (more: object, error: object = {}) =>
    refusal({
      error: { code: 'unauthorized', message: 'no', source: 'router', ...error },
      ...more,
    });
  const inside = (error: object) => own({}, error);
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
    ['one elsewhere', 'held', moved(['2026-11-21T20:26:19.99+01:00', '2026-11-21T20:26:20+01:00'])],
    ['seconds', 'held', moved([1_795_289_179, 1_795_289_180])],
    ['milliseconds', 'held', moved([1_795_289_179_998, 1_795_289_180_001])],
    ['parts of seconds', 'held', moved([1_795_289_179.5, 1_795_289_180.25])],
  ]);

  test.for<readonly [string, Verdict, ...Parameters<typeof sameRefusal>]>([
    ['an id of its own', 'held', [own({ id: 'k' }), own({ id: 'm' })], own({ id: 'l' })],
    ['an id inside', 'held', [inside({ id: 'k' }), inside({ id: 'm' })], inside({ id: 'l' })],
    ['a reason', 'broken', [own({ why: 'none' }), own({ why: 'none' })], own({ why: 'wrong' })],
    ['a code', 'broken', [inside({ code: 'a' }), inside({ code: 'c' })], inside({ code: 'b' })],
    ['a member more', 'broken', [own({}), own({})], own({ why: 'wrong' })],
    ['an id, seen once', 'held', [own({ id: 'k' })], own({ id: 'l' })],
    ['a message, seen once', 'broken', [own({})], inside({ message: 'wrong' })],
  ])('%s is another: %s', ([, verdict, others, other]) => {
    expect(outcomeOf(sameRefusal(others, other).body)).toBe(verdict);
  });
});

test.for<readonly [lines: readonly string[], ...challenges: readonly [string, object][]]>([
  [['Bearer realm="the router"'], ['bearer', { realm: 'the router' }]],
  [
    [String.raw`bearer Realm=router, error="a \"b\", c"`],
    ['bearer', { realm: 'router', error: 'a "b", c' }],
  ],
  [['Basic realm="a", Bearer realm="b"'], ['basic', { realm: 'a' }], ['bearer', { realm: 'b' }]],
  [
    ['Basic realm="a"', 'Bearer realm="b"'],
    ['basic', { realm: 'a' }],
    ['bearer', { realm: 'b' }],
  ],
  [['Bearer'], ['bearer', {}]],
  [['Basic realm="Bearer realm"'], ['basic', { realm: 'Bearer realm' }]],
])('the challenges of %j', ([lines, ...challenges]) => {
  const read = challengesIn(lines).map((one) => [one.scheme, Object.fromEntries(one.parameters)]);
  expect(read).toEqual(challenges);
});
