/** Whether missing and invalid credentials are refused alike (router#authentication/5). */

import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { expectThat, vacuous, type Judgement } from '../judgement.ts';

export interface RefusalLikeness {
  readonly status: Judgement;
  readonly body: Judgement;
  readonly challenge: Judgement;
}

/**
 * Compares two refusals of the same route byte for byte, but for ids and moments. A side without a response shows nothing,
 * and bodies are compared only when both arrived whole.
 */
export function sameRefusal(one: Exchange, other: Exchange): RefusalLikeness {
  const [first, second] = [one.response, other.response];
  if (first === undefined || second === undefined) {
    return { status: vacuous, body: vacuous, challenge: vacuous };
  }
  const whole = one.ending === 'complete' && other.ending === 'complete';
  return {
    status: alike('status', String(first.status), String(second.status), one, other),
    body: whole
      ? alike(
          'body',
          withoutWhatMoves(bodyText(one)),
          withoutWhatMoves(bodyText(other)),
          one,
          other,
        )
      : vacuous,
    challenge: alike(
      'challenge',
      withoutWhatMoves(headerValue(first.headers, 'www-authenticate') ?? ''),
      withoutWhatMoves(headerValue(second.headers, 'www-authenticate') ?? ''),
      one,
      other,
    ),
  };
}

function alike(
  what: string,
  expected: string,
  actual: string,
  one: Exchange,
  other: Exchange,
): Judgement {
  return expectThat(
    expected === actual,
    `The ${what} tells two refused credentials apart.`,
    { expected, actual },
    other,
    one,
  );
}

/**
 * Text with UUIDs, the long hexadecimal ids of traces and moments (ISO 8601, or seconds and milliseconds since the
 * epoch) taken out: they differ for each request, whatever its credential.
 */
function withoutWhatMoves(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/giu, '<id>')
    .replaceAll(/\b(?:[0-9a-f]{32}|[0-9a-f]{16})\b/giu, '<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/giu, '<moment>')
    .replaceAll(/\b1\d{9}(?:\d{3}|\.\d+)?\b/gu, '<moment>');
}
