import { describe, expect, test } from 'vitest';
import {
  challengesIn,
  forbidden,
  letIn,
  mayUse,
  opensNothing,
  refused,
  refusedAlike,
  sameRefusal,
} from './credentials.ts';
import {
  challenge,
  SAMPLE_ID,
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from './sample.test.support.ts';

const unauthorized = sampleError(401, 'unauthorized', 'router', { headers: [challenge] });
const bare = sampleError(401, 'unauthorized', 'router', { headers: [] });
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
  ['refused alike', 'held', refusedAlike(unauthorized, [unauthorized])],
  ['refused without challenge', 'broken', refusedAlike(bare, [unauthorized])],
  // What is said of the model shows that the key was accepted.
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
  const counts = (judgement: { violations: readonly unknown[] }) => judgement.violations.length;

  test('differs in ids alone', () => {
    const likeness = sameRefusal([refusal({ id: SAMPLE_ID })], refusal({ id: OTHER_ID }));
    expect(Object.values(likeness).map(counts)).toEqual([0, 0, 0]);
    expect(likeness.body.seen).toBe(1);
  });

  test.for([
    ['2026-11-21T19:26:19Z', '2026-11-21T19:26:20Z'],
    ['2026-11-21T20:26:19.998+01:00', '2026-11-21T20:26:20+01:00'],
    [1_795_289_179, 1_795_289_180],
    [1_795_289_179_998, 1_795_289_180_001],
    [1_795_289_179.5, 1_795_289_180.25],
  ])('differs in moments alone: %s and %s', ([at, later]) => {
    const { body } = sameRefusal([refusal({ at })], refusal({ at: later }));
    expect([body.seen, counts(body)]).toEqual([1, 0]);
  });

  test('is told apart by other numbers', () => {
    const { body } = sameRefusal([refusal({ reason: 1 })], refusal({ reason: 2 }));
    expect(counts(body)).toBe(1);
  });

  describe('of an envelope with members of its own', () => {
    const own = (more: object, error: object = {}) =>
      refusal({
        error: { code: 'unauthorized', message: 'no', source: 'router', ...error },
        ...more,
      });

    test.for([
      [own({ id: 'k' }), own({ id: 'l' }), own({ id: 'm' }), 0],
      [own({}, { id: 'k' }), own({}, { id: 'l' }), own({}, { id: 'm' }), 0],
      [own({ why: 'none' }), own({ why: 'wrong' }), own({ why: 'none' }), 1],
      [own({ id: 'k', why: 'a' }), own({ id: 'l', why: 'b' }), own({ id: 'm', why: 'a' }), 1],
      [own({}, { code: 'a' }), own({}, { code: 'b' }), own({}, { code: 'c' }), 1],
      [own({}), own({ why: 'wrong' }), own({}), 1],
      [own({ id: 'k' }), own({ id: 'l' }), undefined, 0],
      [own({}), own({}, { message: 'wrong' }), undefined, 1],
    ] as const)('what moves anyhow does not count', ([one, other, again, expected]) => {
      expect(counts(sameRefusal(again === undefined ? [one] : [one, again], other).body)).toBe(
        expected,
      );
    });
  });

  test('is told apart by status, body and challenge', () => {
    expect(counts(sameRefusal([refusal('a')], refusal('a', 'router', 403)).status)).toBe(1);
    expect(counts(sameRefusal([refusal('missing')], refusal('invalid')).body)).toBe(1);
    expect(counts(sameRefusal([refusal('a')], refusal('a', 'other')).challenge)).toBe(1);
  });

  test('shows nothing without a response', () => {
    expect(sameRefusal([refusal('a')], withoutResponse(refusal('a'))).status.seen).toBe(0);
  });
});

describe('challenges', () => {
  const read = (...lines: string[]) =>
    challengesIn(lines).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

  test('reads one challenge', () => {
    expect(read('Bearer realm="the router"')).toEqual([['bearer', { realm: 'the router' }]]);
  });

  test('reads bare and escaped values', () => {
    expect(read(String.raw`bearer Realm=router, error="a \"b\", c"`)).toEqual([
      ['bearer', { realm: 'router', error: 'a "b", c' }],
    ]);
  });

  test('reads several challenges, on one line and on two', () => {
    const both = [
      ['basic', { realm: 'a' }],
      ['bearer', { realm: 'b' }],
    ];
    expect(read('Basic realm="a", Bearer realm="b"')).toEqual(both);
    expect(read('Basic realm="a"', 'Bearer realm="b"')).toEqual(both);
  });

  test('reads a scheme without parameters', () => {
    expect(read('Bearer')).toEqual([['bearer', {}]]);
  });

  test('a realm that speaks of Bearer is no Bearer challenge', () => {
    expect(read('Basic realm="Bearer realm"')).toEqual([['basic', { realm: 'Bearer realm' }]]);
  });
});
