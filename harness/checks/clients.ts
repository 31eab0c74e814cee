/** Checks of client behaviour: requests without any credential, and waits between requests. */

import { type Exchange, headerValue, endOf } from '../exchange/exchange.ts';
import { type Judgement, notObserved, pass, violated } from './judgement.ts';

/** Names of headers and parameters in which a deployment could take a credential. */
const CREDENTIAL = /auth|cookie|key|token|secret|signature|session/iu;

/** True when nothing in the request could be meant as a credential. */
export function isBare({ request }: Exchange): boolean {
  return (
    !request.headers.some(([name]) => CREDENTIAL.test(name)) &&
    ![...new URLSearchParams(request.query).keys()].some(
      (name) => CREDENTIAL.test(name) || /^sig$/iu.test(name),
    )
  );
}

/** Passes on 401 and is violated by a 2xx; any other refusal may have come before the check of the credential. */
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

/** Tolerance for clocks and timers, in milliseconds. */
const SLACK_MS = 50;

/** Seconds that an error response asks to wait (`Retry-After`); undefined when it names no whole number of seconds. */
export function waitAskedFor(exchange: Exchange): number | undefined {
  if ((exchange.response?.status ?? 0) < 400) return undefined;
  const value = headerValue(exchange.response?.headers ?? [], 'retry-after') ?? '';
  return /^\d{1,6}$/u.test(value) ? Number(value) : undefined;
}

/** Whether the client waited as long as the response asked; undefined without such a wait, or for overlapping requests. */
export function keptWait(limited: Exchange, next: Exchange): boolean | undefined {
  const seconds = waitAskedFor(limited);
  const limitedAt = endOf(limited);
  if (seconds === undefined || next.startedAt <= limitedAt) return undefined;
  return next.startedAt + SLACK_MS >= limitedAt + seconds * 1_000;
}
