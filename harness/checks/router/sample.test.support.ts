/** Exchanges for the unit tests of the checks, and the universal check run on them. */

import { expect, test } from 'vitest';
import type { Ending, Exchange, HeaderLines } from '../../exchange/exchange.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { nothingKnown, type RouterKnowledge } from './route.ts';
import { universalRouterCheck } from './universal.ts';
import type { Judgement } from '../judgement.ts';
import { testVerdicts, verdicts } from '../verdict.test.support.ts';

export interface SampleParts {
  readonly method?: string;
  readonly path?: string;
  readonly request?: unknown;
  readonly requestHeaders?: HeaderLines;
  readonly credential?: string;
  readonly status?: number;
  readonly headers?: HeaderLines;
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly ending?: Ending;
  readonly startedAt?: number;
  readonly durationMs?: number;
}

export const SAMPLE_ID = '0190a7c2-6b1e-7c3d-8e4f-1a2b3c4d5e6f';

let counter = 0;

function bytes(value: unknown): Uint8Array {
  if (value === undefined) return new Uint8Array();
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A successful chat completion, with `parts` replaced. */
export function sampleExchange(parts: SampleParts = {}): Exchange {
  counter += 1;
  const path = parts.path ?? '/v1/chat/completions';
  const body = bytes(parts.body ?? {});
  return {
    id: `e${counter}`,
    contract: 'router',
    target: 'sample',
    request: {
      method: parts.method ?? 'POST',
      url: `http://127.0.0.1:1${path}`,
      path,
      query: '',
      headers: parts.requestHeaders ?? [],
      body: bytes(parts.request),
      credential: parts.credential,
    },
    response: {
      status: parts.status ?? 200,
      headers: parts.headers ?? [
        ['Content-Type', 'application/json'],
        ['X-Request-ID', SAMPLE_ID],
      ],
      body,
      chunks: [{ atMs: 1, bytes: body }],
    },
    ending: parts.ending ?? 'complete',
    cause: undefined,
    startedAt: parts.startedAt ?? 0,
    headMs: 1,
    durationMs: parts.durationMs ?? 1,
    retries: 0,
  };
}

/** An error in the envelope. */
export function sampleError(
  status: number,
  code: string,
  source = 'router',
  parts: SampleParts = {},
): Exchange {
  const message = code === 'unauthorized' ? code : 'm';
  return sampleExchange({ status, body: { error: { code, message, source } }, ...parts });
}

/** The same exchange without a response, as after a refused connection. */
export function withoutResponse(exchange: Exchange): Exchange {
  return { ...exchange, response: undefined, ending: 'unreachable' };
}

/** The requirements that the universal check passed and failed. Throws for a judgement that saw nothing. */
export function judged(exchange: Exchange, knowledge: RouterKnowledge = nothingKnown) {
  const held = new Set<RouterRequirementId>();
  const broken = new Set<RouterRequirementId>();
  for (const { requirement, judgement } of universalRouterCheck(exchange, knowledge)) {
    if (judgement.seen === 0) throw new Error(`${requirement} was judged though nothing was seen`);
    (judgement.violations.length > 0 ? broken : held).add(requirement);
  }
  return { held: [...held], broken: [...broken] };
}

export const json: readonly [string, string] = ['Content-Type', 'application/json'];
export const id: readonly [string, string] = ['X-Request-ID', SAMPLE_ID];
export const challenge: readonly [string, string] = ['WWW-Authenticate', 'Bearer realm="router"'];

/** The headers of a JSON response with a request id, and these lines. */
export function withHeaders(...more: HeaderLines): HeaderLines {
  return [json, id, ...more];
}

type Short<Id = RouterRequirementId> = Id extends `router.${infer Rest}` ? Rest : never;

/** Rows: a response, everything that the universal check finds broken in it, and some of what it passes, without `router.`. */
export function testUniversal(
  rows: readonly (readonly [
    what: string,
    exchange: Exchange,
    broken: readonly Short[],
    held?: readonly Short[],
    knowledge?: Partial<RouterKnowledge>,
  ])[],
): void {
  test.for(rows)('%s', ([, exchange, broken, held = [], knowledge = {}]) => {
    const found = judged(exchange, { ...nothingKnown, ...knowledge });
    expect(found.broken).toEqual(broken.map((short) => `router.${short}`));
    expect(found.held).toEqual(expect.arrayContaining(held.map((short) => `router.${short}`)));
  });
}

/** Answers that many checks are asked about. */
export const answers = {
  served: sampleExchange(),
  lost: withoutResponse(sampleExchange()),
  cut: sampleExchange({ ending: 'cut-short' }),
  invalid: sampleError(400, 'request_invalid'),
  tooLong: sampleError(400, 'input_too_long'),
  unauthorized: sampleError(401, 'unauthorized', 'router', { headers: [challenge] }),
  denied: sampleError(403, 'model_forbidden'),
  notFound: sampleError(404, 'model_not_found'),
  tooLarge: sampleExchange({ status: 413, body: 'too large' }),
  crowded: sampleError(429, 'concurrency_limit_exceeded'),
  limited: sampleError(429, 'rate_limit_exceeded'),
  overBudget: sampleError(429, 'token_limit_exceeded'),
  failed: sampleError(500, 'backend_error'),
  noAgents: sampleError(503, 'no_agents_available'),
  noCapacity: sampleError(503, 'no_capacity'),
  timeout: sampleError(504, 'request_timeout'),
} as const;

/** Rows: a check of an answer, and the names of the answers that hold | that break it | of which it says nothing. */
export function testAnswers(
  rows: readonly (readonly [what: string, check: (one: Exchange) => Judgement, said: string])[],
  more: Readonly<Record<string, Exchange>> = {},
): void {
  const known = new Map<string, Exchange>(Object.entries({ ...answers, ...more }));
  testVerdicts(
    rows.flatMap(([what, check, said]) =>
      said.split('|').flatMap((names, column) =>
        (names.match(/\w+/gu) ?? []).map((name) => {
          const [answer, verdict] = [known.get(name), verdicts[column]];
          if (!answer || !verdict) throw new Error(`No answer is called ${name}.`);
          return [`${what}, ${name}`, verdict, check(answer)] as const;
        }),
      ),
    ),
  );
}
