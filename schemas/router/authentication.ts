/** Authentication: which credentials are refused on which family of routes, and how a refusal looks. */

import { routerSection } from './section.ts';

const REFUSED = 'the answer is 401';
const FAILS = 'the answer is an error of the client, whatever its status';

export const authenticationRequirements = routerSection('authentication', {
  'client-key-accepted': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A valid client key as bearer credential opens the client routes.',
  },
  'missing-on-models': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'The model routes refuse a request without credentials.',
    judged: REFUSED,
  },
  'missing-on-chat': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'The chat completions route refuses a request without credentials.',
    judged: REFUSED,
  },
  'missing-on-proxy': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'Each transparent proxy route refuses a request without credentials.',
    judged: REFUSED,
  },
  'missing-on-admin': {
    clause: 'router#authentication/2',
    strength: 'stated',
    statement: 'The administrator routes refuse a request without credentials.',
    judged: REFUSED,
  },
  'unknown-on-models': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'The model routes refuse a key that nobody has.',
    judged: REFUSED,
  },
  'unknown-on-chat': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'The chat completions route refuses a key that nobody has.',
    judged: REFUSED,
  },
  'unknown-on-proxy': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'Each transparent proxy route refuses a key that nobody has.',
    judged: REFUSED,
  },
  'unknown-on-admin': {
    clause: 'router#authentication/2',
    strength: 'stated',
    statement: 'The administrator routes refuse a key that nobody has.',
    judged: REFUSED,
  },
  'scheme-alone': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'The bearer scheme without a token is refused on client routes.',
    judged: REFUSED,
  },
  'scheme-missing': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A valid key without the bearer scheme is refused on client routes.',
    judged: REFUSED,
  },
  'scheme-wrong': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A valid key under another scheme is refused on client routes.',
    judged: REFUSED,
  },
  'token-with-space': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A token with a space in it is refused on client routes.',
    judged: REFUSED,
  },
  'key-altered': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A valid key with one character changed, added or removed is refused.',
    judged: REFUSED,
  },
  'x-api-key-on-models': {
    clause: 'router#authentication/1/x-api-key',
    strength: 'stated',
    statement: 'A valid key in `x-api-key` does not open the model routes.',
    judged: REFUSED,
  },
  'x-api-key-on-inference': {
    clause: 'router#authentication/1/x-api-key',
    strength: 'stated',
    statement: 'A valid key in `x-api-key` opens no inference route, the messages routes included.',
    judged: REFUSED,
  },
  'key-hash': {
    clause: 'router#authentication/1/raw-key',
    strength: 'stated',
    statement: 'The SHA-256 of a valid key is refused as a credential.',
    judged: 'lower-case hexadecimal, 401',
  },
  'client-key-on-admin-health': {
    clause: 'router#authentication/2/client-key',
    strength: 'stated',
    statement: 'A client key does not open fleet health.',
    judged: FAILS,
  },
  'client-key-on-admin-routing-table': {
    clause: 'router#authentication/2/client-key',
    strength: 'stated',
    statement: 'A client key does not open the routing table.',
    judged: FAILS,
  },
  'client-key-on-admin-status': {
    clause: 'router#authentication/2/client-key',
    strength: 'implied',
    statement: 'A client key is refused on an administrator route with 401.',
    judged:
      'implied: the document says that it fails, and names the status for missing and invalid keys',
  },
  'admin-key-on-models': {
    clause: 'router#authentication/2/admin-key',
    strength: 'stated',
    statement: 'An administrator key does not open the model routes.',
    judged: FAILS,
    needs: ['keys.admin'],
  },
  'admin-key-on-chat': {
    clause: 'router#authentication/2/admin-key',
    strength: 'stated',
    statement: 'An administrator key does not open the chat completions route.',
    judged: FAILS,
    needs: ['keys.admin'],
  },
  'admin-key-on-proxy': {
    clause: 'router#authentication/2/admin-key',
    strength: 'stated',
    statement: 'An administrator key opens none of the transparent proxy routes.',
    judged: FAILS,
    needs: ['keys.admin'],
  },
  'admin-key-on-client-status': {
    clause: 'router#authentication/2/admin-key',
    strength: 'implied',
    statement: 'An administrator key is refused on a client route with 401.',
    judged:
      'implied: the document says that it fails, and names the status for missing and invalid keys',
    needs: ['keys.admin'],
  },
  'expired-key': {
    clause: 'router#authentication/3',
    strength: 'stated',
    statement: 'An expired key is refused in the same way as an unknown one.',
    needs: ['keys.expired'],
  },
  'disabled-key': {
    clause: 'router#authentication/3',
    strength: 'stated',
    statement: 'A disabled key is refused in the same way as an unknown one.',
    needs: ['keys.disabled'],
  },
  'removed-key': {
    clause: 'router#authentication/3',
    strength: 'stated',
    statement: 'A removed key is refused in the same way as an unknown one.',
    needs: ['keys.removed'],
  },
  'allowlist-denies-chat': {
    clause: 'router#authentication/4',
    strength: 'stated',
    statement:
      'A chat completion with a model outside the allowlist of the key is model_forbidden.',
    needs: ['keys.allowlisted'],
  },
  'allowlist-denies-proxy': {
    clause: 'router#authentication/4',
    strength: 'stated',
    statement: 'A proxied request for a model outside the allowlist of the key is model_forbidden.',
    needs: ['keys.allowlisted'],
  },
  'allowlist-denied-reaches-no-engine': {
    clause: 'router#authentication/4',
    strength: 'stated',
    statement: 'A request that the allowlist refuses reaches no engine.',
    needs: ['keys.allowlisted', 'backend'],
  },
  'allowlist-denied-detail': {
    clause: 'router#authentication/4',
    strength: 'open',
    statement: 'What the detail of a model outside the allowlist of the key is answered with.',
    needs: ['keys.allowlisted'],
  },
  'allowlist-allows': {
    clause: 'router#authentication/4',
    strength: 'stated',
    statement: 'A key may use a model that its allowlist names.',
    judged: 'the answer is anything but 401, 403 and model_not_found',
    needs: ['keys.allowlisted'],
  },
  'refusal-same-status': {
    clause: 'router#authentication/5',
    strength: 'stated',
    statement: 'Missing and invalid credentials get the same status on each client route.',
  },
  'refusal-same-body': {
    clause: 'router#authentication/5',
    strength: 'stated',
    statement:
      'Missing and invalid credentials get the same body on each client route, but for ids.',
  },
  'refusal-same-challenge': {
    clause: 'router#authentication/5',
    strength: 'stated',
    statement: 'Missing and invalid credentials get the same challenge on each client route.',
  },
  'refusal-same-on-admin': {
    clause: 'router#authentication/5',
    strength: 'implied',
    statement: 'Missing and invalid credentials look the same on administrator routes too.',
  },
  'refusal-code': {
    clause: 'router#authentication/5/fields',
    strength: 'stated',
    statement: 'Every 401 of a known client route has the code unauthorized.',
    universal: true,
  },
  'refusal-source': {
    clause: 'router#authentication/5/fields',
    strength: 'stated',
    statement: 'Every 401 of a known client route names the router as its source.',
    universal: true,
  },
  'refusal-message': {
    clause: 'router#authentication/5/fields',
    strength: 'implied',
    statement: 'The message of a 401 of a known client route is `unauthorized`.',
    judged:
      'implied: the document gives it as code, and says that clients must not depend on messages',
    universal: true,
  },
  'refusal-reaches-no-engine': {
    clause: 'router#authentication/1',
    strength: 'stated',
    statement: 'A request that is refused for its credentials reaches no engine.',
    needs: ['backend', 'models.chat'],
  },
  'challenge-realm': {
    clause: 'router#authentication/5/challenge',
    strength: 'stated',
    statement: 'The challenge of a 401 is a Bearer challenge with a realm that is not empty.',
    universal: true,
  },
  'scheme-case': {
    clause: 'router#authentication/1',
    strength: 'open',
    statement: 'Whether the bearer scheme is accepted in another case.',
  },
  'order-unsupported-route': {
    clause: 'router#endpoints/responses',
    strength: 'open',
    statement: 'Whether the responses route without credentials is 401 or 404.',
  },
});
