/** Authentication: the credentials that each family of routes rejects, and the form of the rejection. */

import { chat, needing } from './needs.ts';
import { all, clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';

const admin = needing('keys.admin');
const allowlisted = needing('keys.allowlisted');

const REFUSED = 'the answer is 401';

const FAILS = 'the answer is an error of the client, whatever its status';

/** An engine's failure has a code of the table, which says which status it must have. */
const refusals = {
  judged: 'on refusals, not on a classified failure of an engine that comes with 401',
};

export const authentication = section('router', 'authentication', [
  excluded.heading('authentication', 'Authentication'),
  clause('authentication/1', 'Authentication: rule 1, bearer credential', {
    'client-key-accepted': stated(
      'A valid client key as bearer credential opens the client routes.',
    ),
    'missing-on-models': stated('The model routes refuse a request without credentials.', {
      judged: REFUSED,
    }),
    'missing-on-chat': stated('The chat completions route refuses a request without credentials.', {
      judged: REFUSED,
    }),
    'missing-on-proxy': stated(
      'Each transparent proxy route refuses a request without credentials.',
      { judged: REFUSED },
    ),
    ...all(
      stated,
      {
        judged: REFUSED,
      },
      {
        'unknown-on-models': 'The model routes refuse a key that nobody has.',
        'unknown-on-chat': 'The chat completions route refuses a key that nobody has.',
        'unknown-on-proxy': 'Each transparent proxy route refuses a key that nobody has.',
        'scheme-alone': 'The bearer scheme without a token is refused on client routes.',
        'scheme-missing': 'A valid key without the bearer scheme is refused on client routes.',
        'scheme-wrong': 'A valid key under another scheme is refused on client routes.',
        'token-with-space': 'A token with a space in it is refused on client routes.',
        'key-altered': 'A valid key with one character changed, added or removed is refused.',
      },
    ),
    'refusal-reaches-no-engine': chat.stated(
      'A request that is refused for its credentials reaches no engine.',
    ),
    'scheme-case': open('Whether the bearer scheme is accepted in another case.'),
  }),
  clause('authentication/1/raw-key', 'Authentication: rule 1, key and not its hash', {
    'key-hash': stated('The SHA-256 of a valid key is refused as a credential.', {
      judged: 'lower-case hexadecimal, 401',
    }),
  }),
  clause('authentication/1/x-api-key', 'Authentication: rule 1, other header', {
    'x-api-key-on-models': stated('A valid key in `x-api-key` does not open the model routes.', {
      judged: REFUSED,
    }),
    'x-api-key-on-inference': stated(
      'A valid key in `x-api-key` opens no inference route, the messages routes included.',
      { judged: REFUSED },
    ),
  }),
  clause('authentication/2', 'Authentication: rule 2, administrator key', {
    'missing-on-admin': stated('The administrator routes refuse a request without credentials.', {
      judged: REFUSED,
    }),
    'unknown-on-admin': stated('The administrator routes refuse a key that nobody has.', {
      judged: REFUSED,
    }),
  }),
  clause('authentication/2/client-key', 'Authentication: rule 2, client key on admin', {
    'client-key-on-admin-health': stated('A client key does not open fleet health.', {
      judged: FAILS,
    }),
    'client-key-on-admin-routing-table': stated('A client key does not open the routing table.', {
      judged: FAILS,
    }),
    'client-key-on-admin-status': implied(
      'A client key is refused on an administrator route with 401.',
      {
        judged:
          'implied: the document says that it fails, and names the status for missing and invalid keys',
      },
    ),
  }),
  clause('authentication/2/admin-key', 'Authentication: rule 2, admin key on client', {
    'admin-key-on-models': admin.stated(
      'An administrator key does not open the model routes.',
      FAILS,
    ),
    'admin-key-on-chat': admin.stated(
      'An administrator key does not open the chat completions route.',
      FAILS,
    ),
    'admin-key-on-proxy': admin.stated(
      'An administrator key opens none of the transparent proxy routes.',
      FAILS,
    ),
    'admin-key-on-client-status': admin.implied(
      'An administrator key is refused on a client route with 401.',
      'implied: the document says that it fails, and names the status for missing and invalid keys',
    ),
  }),
  clause('authentication/3', 'Authentication: rule 3, expired, disabled, removed', {
    'expired-key': stated('An expired key is refused in the same way as an unknown one.', [
      'keys.expired',
    ]),
    'disabled-key': stated('A disabled key is refused in the same way as an unknown one.', [
      'keys.disabled',
    ]),
    'removed-key': stated('A removed key is refused in the same way as an unknown one.', [
      'keys.removed',
    ]),
  }),
  excluded.inside('authentication/3/kinds', 'Authentication: rule 3, static and dynamic keys'),
  clause('authentication/4', 'Authentication: rule 4, allowlist', {
    ...all(stated, allowlisted.needs, {
      'allowlist-denies-chat':
        'A chat completion with a model outside the allowlist of the key is model_forbidden.',
      'allowlist-denies-proxy':
        'A proxied request for a model outside the allowlist of the key is model_forbidden.',
    }),
    'allowlist-denied-reaches-no-engine': stated(
      'A request that the allowlist refuses reaches no engine.',
      ['keys.allowlisted', 'backend'],
    ),
    'allowlist-denied-detail': allowlisted.open(
      'What the detail of a model outside the allowlist of the key is answered with.',
    ),
    'allowlist-allows': allowlisted.stated(
      'A key may use a model that its allowlist names.',
      'the answer is anything but 401, 403 and model_not_found',
    ),
  }),
  clause('authentication/5', 'Authentication: rule 5, one response for all', {
    'refusal-same-status': stated(
      'Missing and invalid credentials get the same status on each client route.',
    ),
    'refusal-same-body': stated(
      'Missing and invalid credentials get the same body on each client route, but for ids.',
    ),
    'refusal-same-challenge': stated(
      'Missing and invalid credentials get the same challenge on each client route.',
    ),
    'refusal-same-on-admin': implied(
      'Missing and invalid credentials look the same on administrator routes too.',
    ),
  }),
  clause('authentication/5/fields', 'Authentication: rule 5, code, message, source', {
    'refusal-code': stated.universal(
      'Every 401 of a known client route has the code unauthorized.',
      refusals,
    ),
    'refusal-source': stated.universal(
      'Every 401 of a known client route names the router as its source.',
      refusals,
    ),
    'refusal-message': implied.universal(
      'The message of a 401 of a known client route is `unauthorized`.',
      {
        judged:
          'implied: the document gives it as code, and says that clients must not depend on messages',
      },
    ),
  }),
  clause('authentication/5/challenge', 'Authentication: rule 5, challenge', {
    'challenge-realm': stated.universal(
      'The challenge of a 401 is a Bearer challenge with a realm that is not empty.',
    ),
  }),
  excluded.notShown('authentication/6', 'Authentication: rule 6'),
  excluded.heading('errors', 'Errors'),
  cited('endpoints/responses', {
    'order-unsupported-route': open(
      'Whether the responses route without credentials is 401 or 404.',
    ),
  }),
]);
