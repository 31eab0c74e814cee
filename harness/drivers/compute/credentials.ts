/** The forms of a credential that is none (compute#authentication/rule-1, compute#errors/401). */

import { randomBytes } from 'node:crypto';
import type { HeaderContent } from '../../exchange/outgoing.ts';
import { type Alteration, altered } from '../../generate/ids.ts';
import { type Secret, changed } from '../../target/keys.ts';

export type CredentialForm =
  | 'header-missing'
  | 'scheme-alone'
  | 'scheme-wrong'
  | 'token-empty'
  | 'token-with-space'
  | 'token-unknown'
  | 'key-altered';

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

/** A valid key with a change; nothing where the change makes no other key. */
export function alteredCredential(key: Secret, how: Alteration): readonly FalseCredential[] {
  const wrong = changed(key, (text) => altered(text, how));
  if (wrong === undefined) return [];
  return [{ form: 'key-altered', headers: [['Authorization', ['Bearer ', wrong]]] }];
}
