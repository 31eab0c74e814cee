/** Credentials that are wrong on purpose, none of which shows a key in a record. */

import { createHash, randomBytes } from 'node:crypto';
import type { HeaderContent } from '../../exchange/outgoing.ts';
import { Secret } from '../../target/secret.ts';
import type { CallOptions } from './api.ts';

/** A call with this as its only credential. */
export function withAuthorization(value: HeaderContent): Pick<CallOptions, 'as' | 'headers'> {
  return { as: null, headers: [['Authorization', value]] };
}

/** A call with this as its only bearer token. */
export function withBearer(token: string | Secret): Pick<CallOptions, 'as' | 'headers'> {
  return withAuthorization(['Bearer ', token]);
}

/** A call with a key that nobody has. */
export function unknownKey(): Pick<CallOptions, 'as' | 'headers'> {
  return withBearer(`plumbline-unknown-${randomBytes(16).toString('hex')}`);
}

/** The SHA-256 of a key, in lower-case hexadecimal unless told. It stays a secret: where keys are stored so, it is one. */
export function hashOf(key: Secret, form: 'hex' | 'base64' = 'hex'): Secret {
  const hash = createHash('sha256').update(key.reveal()).digest(form);
  return new Secret(`SHA-256 of ${key.name}`, hash);
}

/** A key as name and password of the Basic scheme, as browsers and old clients would send it. */
export function basicOf(key: Secret): Secret {
  const pair = `${key.reveal()}:${key.reveal()}`;
  return new Secret(`Basic credentials of ${key.name}`, Buffer.from(pair).toString('base64'));
}
