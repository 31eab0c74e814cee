/** The checks that hold for every exchange, on exchanges that somebody else recorded. */

import { contractNames, requirementsOf } from '../../../schemas/contracts.ts';
import type { Contract, Strength } from '../../../schemas/requirement.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { contractOf } from '../../contracts/index.ts';
import type { Violation } from '../../checks/judgement.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';

/** A request and its whole response, as a proxy or a test saw them. */
export interface SeenExchange {
  readonly contract: Contract;
  /** The base URL of the deployment: ends in `/v1` for compute, goes without for a router. */
  readonly baseUrl: string;
  readonly method: string;
  /** Absolute, below the base URL. */
  readonly url: string;
  readonly requestHeaders?: HeaderLines;
  readonly requestBody?: string | Uint8Array;
  readonly status: number;
  readonly headers: HeaderLines;
  /** After transfer decoding. */
  readonly body?: string | Uint8Array;
}

const universals = new Map(
  await Promise.all(
    contractNames.map(async (name) => {
      const { universal } = await contractOf(name).traffic();
      return [name, universal] as const;
    }),
  ),
);

let counter = 0;

/** An exchange as the checks take it. Throws `TypeError` for a URL that is not below the base URL. */
export function exchangeOf(seen: SeenExchange): Exchange {
  const base = seen.baseUrl.replace(/\/+$/u, '');
  const url = new URL(seen.url);
  const whole = `${url.origin}${url.pathname}`;
  if (!whole.startsWith(`${base}/`)) throw new TypeError(`${seen.url} is not below ${base}`);
  counter += 1;
  const body = bytes(seen.body);
  return {
    id: `own${counter}`,
    contract: seen.contract,
    target: base,
    request: {
      method: seen.method,
      url: seen.url,
      path: whole.slice(base.length),
      query: url.search.slice(1),
      headers: seen.requestHeaders ?? [],
      body: bytes(seen.requestBody),
      credential: undefined,
    },
    response: {
      status: seen.status,
      headers: seen.headers,
      body,
      chunks: body.length === 0 ? [] : [{ atMs: 0, bytes: body }],
    },
    ending: 'complete',
    cause: undefined,
    startedAt: Date.now(),
    headMs: 0,
    durationMs: 0,
    retries: 0,
  };
}

function bytes(content: string | Uint8Array | undefined): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array());
}

export interface JudgeOptions {
  /** How the deployment does what the compute contract leaves open; without it less is judged. */
  readonly bindings?: ComputeBindings;
}

/** What the exchanges together show of one requirement. */
export interface ExchangeJudgement {
  readonly requirement: string;
  readonly statement: string;
  readonly strength: Strength;
  /** How often it was seen, in a way that could have been wrong. */
  readonly seen: number;
  readonly violations: readonly Violation[];
}

/**
 * Judges exchanges of one contract by what must hold for each alone, and for all together (fresh request ids).
 * Requirements of which they show nothing are not in the answer.
 */
export function judgeExchanges(
  contract: Contract,
  exchanges: Iterable<Exchange>,
  { bindings = {} }: JudgeOptions = {},
): readonly ExchangeJudgement[] {
  const judge = universals.get(contract)?.(bindings);
  if (judge === undefined) throw new TypeError(`There is no contract ${contract}.`);
  const all = [...exchanges].flatMap((exchange) => [...judge(exchange)]);
  return requirementsOf(contract).flatMap(({ id, statement, strength }) => {
    const own = all.filter(({ requirement }) => requirement === id);
    const seen = own.reduce((sum, { judgement }) => sum + judgement.seen, 0);
    if (seen === 0) return [];
    const violations = own.flatMap(({ judgement }) => judgement.violations);
    return [{ requirement: id, statement, strength, seen, violations }];
  });
}
