/** What a request may carry, and what of it reached the engine (router#overview/routing, router#endpoints/request-fields). */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, together, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { acceptableFinalCodes, outcomeText } from './final-codes.ts';
import { foundNoRoom } from './passing.ts';
import { isSuccess } from './success.ts';

/** A request as an engine got it. */
export interface Arrived {
  readonly path: string;
  readonly body: Uint8Array;
  /** Length of the whole body, of which less may be kept. */
  readonly bodyLength: number;
}

/** Whether each request that an engine got for this one came at the path of its route, behind any prefix. */
export function arrivedAtItsPath(exchange: Exchange, arrived: readonly Arrived[]): Judgement {
  const own = exchange.request.path.replace(/^.*?\/v1(?=\/)/u, '');
  return together(
    ...arrived.map(({ path }) =>
      expectThat(
        path.split('?', 1)[0]?.endsWith(own) === true,
        'A request reached the engine at the path of another route.',
        { expected: exchange.request.path, actual: path },
        exchange,
      ),
    ),
  );
}

/** Whether each request that an engine got for this one has its bytes. */
export function arrivedUntouched(exchange: Exchange, arrived: readonly Arrived[]): Judgement {
  const sent = exchange.request.body;
  const whole = arrived.filter(({ body, bodyLength }) => body.length === bodyLength);
  return together(
    ...whole.map(({ body }) =>
      expectThat(
        Buffer.compare(sent, body) === 0,
        'The body of a proxied request was changed.',
        { expected: text(sent), actual: text(body) },
        exchange,
      ),
    ),
  );
}

/** Names of the maximum output: a router may write one for the other. */
const MAXIMA = ['max_tokens', 'max_completion_tokens'];

/** Whether an engine got these fields of a request with the values that they were sent with. */
export function arrivedWith(
  exchange: Exchange,
  arrived: readonly Arrived[],
  fields: Readonly<Record<string, unknown>>,
): Judgement {
  const [first] = arrived;
  const got = first === undefined ? undefined : jsonIn(first.body);
  if (!isObject(got)) return notObserved;
  return together(
    ...Object.entries(fields).map(([name, sent]) => {
      const names = MAXIMA.includes(name) ? MAXIMA : [name];
      return expectThat(
        names.some((one) => isDeepStrictEqual(got[one], sent)),
        `The field ${name} did not reach the engine as it was sent.`,
        { expected: sent, actual: got[name] ?? 'no such field' },
        exchange,
      );
    }),
  );
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text(bytes));
  } catch {
    return undefined;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Codes with which a router may refuse what the engines of a model are not able to do. */
const unable: ReadonlySet<string> = new Set(acceptableFinalCodes('capability-mismatch'));

/** Held when a request with fields that it may carry was served. One that found no room shows nothing. */
export function accepted(exchange: Exchange): Judgement {
  if (exchange.response === undefined || foundNoRoom(exchange)) return notObserved;
  return expectThat(
    isSuccess(exchange),
    'A chat completion was not served for a field that it may carry.',
    { expected: 'a success, as without', actual: outcomeText(exchange) },
    exchange,
  );
}

/** The same for a field that asks for a capability: an engine may lack it. */
export function acceptedOrUnable(exchange: Exchange): Judgement {
  return unable.has(codeOf(exchange)) ? notObserved : accepted(exchange);
}
