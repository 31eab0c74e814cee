/** Whether a request without any credential was served (compute#authentication/rule-1, router#authentication/1). */

import { type Exchange, headerValue } from '../exchange/exchange.ts';
import { type Judgement, pass, notObserved, violated } from './judgement.ts';

/** Headers in which a deployment could take a credential, beside the documented one. */
const CREDENTIAL = /auth|cookie|key|token|secret|signature|session/iu;

/** True for a request in which nothing could be meant as a credential. */
export function isBare({ request }: Exchange): boolean {
  return (
    !request.headers.some(([name]) => CREDENTIAL.test(name)) &&
    ![...new URLSearchParams(request.query).keys()].some(
      (name) => CREDENTIAL.test(name) || /^sig$/iu.test(name),
    )
  );
}

/** Held by a 401, broken by a success; every other refusal may have come first. */
export function refusedBare(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  if (!isBare(exchange)) return notObserved;
  if (status === 401) return pass();
  if (status < 200 || status >= 300) return notObserved;
  return violated(
    'A request without a credential was served.',
    {
      expected: 401,
      actual:
        `${status} ${headerValue(exchange.response?.headers ?? [], 'content-type') ?? ''}`.trim(),
    },
    exchange,
  );
}
