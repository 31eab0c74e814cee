/** Limits that refuse in the wrong way, or the wrong key. */

import type { HeaderLine } from '../../http.ts';
import { errorCodes, Refusal } from '../model.ts';
import { faultTable, limited, type Patch } from './words.ts';

/** A 429 with other headers. */
function waiting(headers: (seconds: number) => readonly HeaderLine[]): Patch {
  return (rules) => ({
    ...limited(rules),
    tooManyRequests: (seconds) =>
      new Refusal(429, errorCodes[429], 'The rate limit is exceeded.', headers(seconds)),
  });
}

/** Every other refusal over the limit has another status. */
function otherwise(status: 403 | 500): Patch {
  return (rules) => {
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
  };
}

export const rateLimitingFaults = faultTable('compute.rate-limiting', {
  'retry-after-there: 429-tells-no-wait': waiting(() => []),
  'retry-after-integer: retry-after-has-a-fraction': waiting((seconds) => [
    ['Retry-After', `${seconds}.0`],
  ]),
  'retry-after-integer: retry-after-is-a-date': waiting((seconds) => [
    ['Retry-After', new Date(Date.now() + seconds * 1_000).toUTCString()],
  ]),
  'exceeding-gives-429: limit-is-403-now-and-then': otherwise(403),
  'exceeding-gives-429: limit-is-500-now-and-then': otherwise(500),
  'per-key: limit-is-shared-by-all-keys': (rules) => {
    const conforming = limited(rules);
    return {
      ...conforming,
      takeRequest: (key, context) =>
        conforming.takeRequest({ ...key, secret: 'everybody' }, context),
    };
  },
  'resumes: wait-is-not-enough': {
    says: 'A key that waited as long as it was told is refused again for ten seconds.',
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
});
