/** Hints for the author of a target file when the target cannot be reached. */

import type { Target } from '../../schemas/target.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** A pattern of transport causes, and what to do about them. */
type Hint = readonly [cause: RegExp, hint: string];

const hints: readonly Hint[] = [
  [/ENOTFOUND|EAI_AGAIN/u, 'There is no host of that name; check baseUrl in the target file.'],
  [/ECONNREFUSED/u, 'Nothing listens there; is the service up, and the port right?'],
  [/CERT_HAS_EXPIRED/u, 'Its certificate has expired; it must be renewed before anything can run.'],
  [/CERT_NOT_YET_VALID/u, 'Its certificate is not valid yet; is the clock of this machine right?'],
  [
    /ALTNAME/u,
    'Its certificate is for another name; does baseUrl in the target file have the name under which it is served?',
  ],
  [
    /CERTIFICATE_REQUIRED/u,
    'It wants a client certificate; name one in the target file: tls: { cert: client.pem, key: client-key.pem }.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/u,
    'Its certificate is not trusted. For a private authority, name its certificate in the target file, tls: { ca: ca.pem }, or in NODE_EXTRA_CA_CERTS.',
  ],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/u,
    'It speaks no version of TLS that is still safe; TLS 1.2 is the least.',
  ],
  [
    /UNRECOGNIZED_NAME/u,
    'It serves no such host there; check the name in baseUrl of the target file.',
  ],
  [/HANDSHAKE_FAILURE/u, 'It has no TLS version or cipher in common with this machine.'],
  [
    /before secure TLS|WRONG_VERSION_NUMBER|SSL|TLS|EPROTO/u,
    'It does not speak TLS there, or closed the connection before it did; is the port right, and is it https?',
  ],
  [/timeout|no end within/u, 'It did not answer in time; is a firewall or VPN in the way?'],
];

/** What to do about an exchange without a usable response. */
export function unreachableHint(target: Target, exchange: Exchange, cause: string): string {
  if (exchange.ending === 'complete') return answeredHint(exchange);
  const isPlain = new URL(target.baseUrl).protocol === 'http:';
  const known = hints.find(([pattern]) => pattern.test(cause) || pattern.test(exchange.ending));
  if (known !== undefined) return known[1];
  if (/HPE_|malformed/u.test(`${cause} ${exchange.ending}`)) {
    return `What answers there does not speak HTTP${isPlain ? '; is it https?' : '.'}`;
  }
  if (exchange.ending !== 'reset' && exchange.ending !== 'cut-short') {
    return 'Is baseUrl in the target file right, and is the service up?';
  }
  return isPlain
    ? 'It closed every connection; is baseUrl in the target file right, is it https, and is the service up?'
    : 'It closed every connection; is baseUrl in the target file right, is the service up, and does it want a client certificate (tls in the target file)?';
}

/** The hint for a target that responds, but not usefully. */
function answeredHint({ response }: Exchange): string {
  return response?.status === 429
    ? 'It is there, and lets no more requests of this key through for now: try again later, or with another key.'
    : 'It is there, and answers; is baseUrl in the target file right, and is the service well?';
}
