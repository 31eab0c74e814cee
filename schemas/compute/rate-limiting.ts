/** Requirements of rate limiting. */

import { section } from './section.ts';

const exhaust = ['consent.exhaustRateLimit'] as const;

export const rateLimitingRequirements = section('rate-limiting', {
  'exceeding-gives-429': {
    clause: 'compute#limits/rate-exceeded',
    strength: 'stated',
    statement: 'A key that goes on past its limit gets 429, and no other refusal.',
    judged: 'A key that never meets a limit within the budget leaves this unexercised.',
    needs: exhaust,
  },
  'retry-after-there': {
    clause: 'compute#errors/429/retry-after',
    strength: 'stated',
    statement: 'Every 429 carries a Retry-After header.',
    needs: exhaust,
    universal: true,
  },
  'retry-after-integer': {
    clause: 'compute#errors/429/retry-after',
    strength: 'stated',
    statement: 'Retry-After of a 429 is a whole number of seconds.',
    needs: exhaust,
    universal: true,
  },
  'per-key': {
    clause: 'compute#limits/rate-per-key',
    strength: 'stated',
    statement: 'While one key is over its limit, the key of another account is served.',
    judged: 'A limit that the keys of one account share is not told from one for each key.',
    needs: ['consent.exhaustRateLimit', 'keys.second'],
  },
  resumes: {
    clause: 'compute#errors/429/retry-after',
    strength: 'implied',
    statement: 'A key that has waited as long as it was told is served again.',
    needs: exhaust,
  },
  'observed-limit': {
    clause: 'compute#limits/not-shown',
    strength: 'open',
    statement: 'After how many requests in what time a 429 came, and with what wait.',
    needs: exhaust,
  },
});
