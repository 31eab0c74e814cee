/** The universal checks, for exchanges that others have recorded. */

import { contractNames, requirementsOf } from '../../../schemas/contracts.ts';
import type { Contract, Strength } from '../../../schemas/requirement.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { contractOf } from '../../contracts/index.ts';
import type { Violation } from '../../checks/judgement.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { exchangeOf as recordedExchange } from '../../passive/recording.ts';
import { placeOf } from '../../passive/traffic-record.ts';

/** A request and its whole response, as a proxy or a test saw them. */
export interface SeenExchange {
  readonly contract: Contract;
  /** Base URL of the deployment: ends in `/v1` for compute, has no `/v1` for a router. */
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

/** Converts an exchange for the checks. Throws `TypeError` for a URL that is not below the base URL. */
export function exchangeOf(seen: SeenExchange): Exchange {
  const base = seen.baseUrl.replace(/\/+$/u, '');
  const { origin, pathname } = new URL(seen.url);
  if (!`${origin}${pathname}`.startsWith(`${base}/`)) {
    throw new TypeError(`${seen.url} is not below ${base}`);
  }
  counter += 1;
  return recordedExchange(
    {
      ...seen,
      requestHeaders: seen.requestHeaders ?? [],
      requestBody: bytes(seen.requestBody),
      body: bytes(seen.body),
      isWhole: true,
      ending: 'complete',
      startedAt: Date.now(),
      headMs: 0,
      durationMs: 0,
    },
    placeOf({ contract: seen.contract, name: base, baseUrl: base }),
    `own${counter}`,
  );
}

function bytes(content: string | Uint8Array | undefined): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array());
}

export interface JudgeOptions {
  /** How the deployment does what the compute contract leaves open. Without it, less is judged. */
  readonly bindings?: ComputeBindings;
}

/** The result of all exchanges for one requirement. */
export interface ExchangeJudgement {
  readonly requirement: string;
  readonly statement: string;
  readonly strength: Strength;
  /** Number of observations that could have been violations. */
  readonly seen: number;
  readonly violations: readonly Violation[];
}

/** Judges exchanges of one contract, each and all together. Omits requirements without an observation. */
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
