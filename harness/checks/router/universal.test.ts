import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { judged, sampleExchange, withHeaders, withoutResponse } from './sample.test.support.ts';

describe('other headers', () => {
  test.each<[string, string, RouterRequirementId]>([
    [
      'traceparent',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'router.response-headers.traceparent-valid',
    ],
    [
      'traceparent',
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      'router.response-headers.traceparent-valid',
    ],
    ['X-RateLimit-Remaining-Requests', '0', 'router.response-headers.remaining-requests-integer'],
    ['X-RateLimit-Remaining-Tokens', '123', 'router.response-headers.remaining-tokens-integer'],
  ])('%s: %s holds', (name, value, requirement) => {
    const { held, broken } = judged(sampleExchange({ headers: withHeaders([name, value]) }));
    expect(held).toContain(requirement);
    expect(broken).toEqual([]);
  });

  test.each<[string, string, readonly RouterRequirementId[]]>([
    [
      'traceparent',
      '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'X-RateLimit-Remaining-Requests',
      '1.5',
      ['router.response-headers.remaining-requests-integer'],
    ],
    [
      'X-RateLimit-Remaining-Tokens',
      '-1',
      [
        'router.response-headers.remaining-tokens-integer',
        'router.response-headers.unlimited-not-negative',
      ],
    ],
  ])('%s: %s is noticed', (name, value, requirements) => {
    expect(judged(sampleExchange({ headers: withHeaders([name, value]) })).broken).toEqual(
      requirements,
    );
  });

  test('of an engine may stand beside those of the router', () => {
    const name = 'X-RateLimit-Remaining-Tokens';
    const headers = withHeaders([name, '5'], [name.toLowerCase(), '99']);
    expect(judged(sampleExchange({ headers })).broken).toEqual([]);
  });
});

test('an exchange without a response shows nothing', () => {
  expect(judged(withoutResponse(sampleExchange()))).toEqual({ held: [], broken: [] });
});
