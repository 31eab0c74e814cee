/** Requirements of rate limiting. */

import { clause, excluded, stated, section } from '../requirement.ts';
import { needing } from './needs.ts';

const exhaust = needing('consent.exhaustRateLimit');

export const rateLimiting = section('compute', 'rate-limiting', [
  clause('errors/429/retry-after', 'Errors, row 429, Retry-After', {
    'retry-after-there': exhaust.stated.universal('Every 429 carries a Retry-After header.'),
    'retry-after-integer': exhaust.stated.universal(
      'Retry-After of a 429 is a whole number of seconds.',
    ),
    resumes: exhaust.implied('A key that has waited as long as it was told is served again.'),
  }),
  clause('limits/rate-per-key', 'Limits, rate limiting per key', {
    'per-key': stated('While one key is over its limit, the key of another account is served.', {
      judged: 'A limit that the keys of one account share is not told from one for each key.',
      needs: ['consent.exhaustRateLimit', 'keys.second'],
    }),
  }),
  clause('limits/rate-exceeded', 'Limits, what exceeding gives', {
    'exceeding-gives-429': exhaust.stated(
      'A key that goes on past its limit gets 429, and no other refusal.',
      { judged: 'A key that never meets a limit within the budget leaves this unexercised.' },
    ),
  }),
  excluded('limits/rate-advice', 'Limits, back off and do not pace', 'Advice to clients.'),
  clause('limits/not-shown', 'Limits, what is not shown', {
    'observed-limit': exhaust.open(
      'After how many requests in what time a 429 came, and with what wait.',
    ),
  }),
  excluded(
    'versioning/segment',
    'Versioning, the segment',
    'An address and not behaviour: the target file names the base URL.',
  ),
  excluded(
    'versioning/description',
    'Versioning, version of the description',
    'It names the document, and no answer carries it.',
  ),
  excluded(
    'versioning/announced',
    'Versioning, announced endpoints and the rate limit',
    'An outlook on later releases.',
  ),
  excluded('versioning/policy', 'Versioning, policy', 'Not shown.'),
]);
