/** The forms of a credential that is none (compute#authentication/rule-1, compute#errors/401). */

import { randomBytes } from 'node:crypto';
import type { HeaderContent } from '../../exchange/door.ts';
import type { Secret } from '../../target/secret.ts';

export type CredentialForm =
  | 'header-missing'
  | 'scheme-alone'
  | 'scheme-wrong'
  | 'token-empty'
  | 'token-with-space'
  | 'token-unknown';

/** A request's credential headers, and the form that they have. */
export interface FalseCredential {
  readonly form: CredentialForm;
  readonly headers: readonly (readonly [string, HeaderContent])[];
}

/** Every form, some in several ways. `key` is a valid one: it must not pass in another dress. */
export function falseCredentials(key: Secret): readonly FalseCredential[] {
  const authorization = (form: CredentialForm, content: HeaderContent): FalseCredential => ({
    form,
    headers: [['Authorization', content]],
  });
  return [
    { form: 'header-missing', headers: [] },
    authorization('scheme-alone', 'Bearer'),
    authorization('scheme-wrong', ['Basic ', key]),
    authorization('scheme-wrong', ['Token ', key]),
    authorization('scheme-wrong', key),
    authorization('token-empty', 'Bearer '),
    authorization('token-with-space', 'Bearer no such key'),
    authorization('token-with-space', ['Bearer ', key, ' ', 'more']),
    authorization('token-unknown', `Bearer ${randomBytes(24).toString('hex')}`),
    authorization('token-unknown', ['Bearer ', key, 'x']),
  ];
}
