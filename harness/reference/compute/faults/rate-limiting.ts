/** Limits that refuse in the wrong way, or the wrong key. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { HeaderLine } from '../../http/reply.ts';
import { Refusal, errorCodes } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { limited } from './limited.ts';

/** A 429 with other headers. */
function waiting(
  name: string,
  summary: string,
  headers: (seconds: number) => readonly HeaderLine[],
  slug: string,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks: [`compute.rate-limiting.${slug}`],
    patch: (rules) => ({
      ...limited(rules),
      tooManyRequests: (seconds) =>
        new Refusal(429, errorCodes[429], 'The rate limit is exceeded.', headers(seconds)),
    }),
  };
}

/** Every other refusal over the limit has another status. */
function otherwise(name: string, summary: string, status: 403 | 500): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks: ['compute.rate-limiting.exceeding-gives-429'],
    patch: (rules) => {
      let refusals = 0;
      return {
        ...limited(rules),
        tooManyRequests: (seconds, context) => {
          refusals += 1;
          return refusals % 2 === 1
            ? new Refusal(status, errorCodes[status], 'Too many requests.')
            : rules.tooManyRequests(seconds, context);
        },
      };
    },
  };
}

export const rateLimitingFaults = declareFaults<ComputeRules>([
  waiting('429-tells-no-wait', 'A 429 carries no Retry-After.', () => [], 'retry-after-there'),
  waiting(
    'retry-after-has-a-fraction',
    'Retry-After has a fraction.',
    (seconds) => [['Retry-After', `${seconds}.0`]],
    'retry-after-integer',
  ),
  waiting(
    'retry-after-is-a-date',
    'Retry-After is an HTTP date.',
    (seconds) => [['Retry-After', new Date(Date.now() + seconds * 1_000).toUTCString()]],
    'retry-after-integer',
  ),
  waiting(
    'retry-after-has-a-unit',
    'Retry-After has a unit.',
    (seconds) => [['Retry-After', `${seconds}s`]],
    'retry-after-integer',
  ),
  otherwise(
    'limit-is-403-now-and-then',
    'Every other refusal of a key over its limit is 403.',
    403,
  ),
  otherwise(
    'limit-is-500-now-and-then',
    'Every other refusal of a key over its limit is 500.',
    500,
  ),
  {
    name: 'limit-is-shared-by-all-keys',
    summary: 'All keys use up one limit together.',
    breaks: ['compute.rate-limiting.per-key'],
    patch: (rules) => {
      const conforming = limited(rules);
      return {
        ...conforming,
        takeRequest: (key, context) =>
          conforming.takeRequest({ ...key, secret: 'everybody' }, context),
      };
    },
  },
  {
    name: 'wait-is-not-enough',
    summary: 'A key that waited as long as it was told is refused again for ten seconds.',
    breaks: ['compute.rate-limiting.resumes'],
    patch: (rules) => {
      const conforming = limited(rules);
      const refused = new Map<string, number>();
      return {
        ...conforming,
        takeRequest: (key, context) => {
          if (context.now - (refused.get(key.secret) ?? 0) < 10_000) return 1;
          const wait = conforming.takeRequest(key, context);
          if (wait !== undefined) refused.set(key.secret, context.now);
          return wait;
        },
      };
    },
  },
]);
