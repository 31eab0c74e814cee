/** What requests and the answers before them show of the clients: no credential at all, and waits that were kept. */

import { type Exchange, headerValue } from '../exchange/exchange.ts';
import { type Judgement, notObserved, pass, violated } from './judgement.ts';
import { endOf } from './reading.ts';

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

/** Milliseconds by which a clock or a timer may be ahead. */
const SLACK_MS = 50;

/** Seconds that an answer asks to wait before the next request; undefined when it asks for no whole number of them. */
export function waitAskedFor(exchange: Exchange): number | undefined {
  if ((exchange.response?.status ?? 0) < 400) return undefined;
  const value = headerValue(exchange.response?.headers ?? [], 'retry-after') ?? '';
  return /^\d{1,6}$/u.test(value) ? Number(value) : undefined;
}

/**
 * Whether the next request of a client waited as long as an answer had asked it to. Undefined when the answer asked
 * for no wait, and for a request that was on its way before the answer came.
 */
export function keptWait(limited: Exchange, next: Exchange): boolean | undefined {
  const seconds = waitAskedFor(limited);
  const limitedAt = endOf(limited);
  if (seconds === undefined || next.startedAt <= limitedAt) return undefined;
  return next.startedAt + SLACK_MS >= limitedAt + seconds * 1_000;
}
