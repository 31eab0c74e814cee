/** The overhead of the proxy. */

import path from 'node:path';
import { Agent } from 'undici';
import type { LiveTraffic } from '../../schemas/live.ts';
import { type BenchContext, type Benchmark, mebibytes, whole } from './tables.ts';
import { peakOf, plumblineBin, programs, serveBy } from './served.ts';

const PER_SECOND = 500;
/** Seconds of load per path and turn, and the number of turns. */
const TURN_S = 1;
const TURNS = 15;
const WARM_UP_S = 4;

/** Milliseconds from the due time of each request to its last byte, ascending. */
async function steadyLoad(url: string, lasts: number): Promise<readonly number[]> {
  const agent = new Agent({ allowH2: false, pipelining: 1 });
  const { origin, pathname, search } = new URL(url);
  const headers = { authorization: 'Bearer a-key-for-the-benchmark' };
  const taken: number[] = [];
  const underWay: Promise<void>[] = [];
  const one = async (due: number): Promise<void> => {
    const { body } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'GET',
      headers,
    });
    for await (const piece of body) void piece;
    taken.push(performance.now() - due);
  };
  const from = performance.now();
  const total = PER_SECOND * lasts;
  let sent = 0;
  await new Promise<void>((done) => {
    const tick = setInterval(() => {
      // A late timer sends every request that is due by now. Waiting would hide the very delay that is measured.
      const now = performance.now();
      while (sent < total && from + (sent * 1_000) / PER_SECOND <= now) {
        underWay.push(one(now));
        sent += 1;
      }
      if (sent < total) return;
      clearInterval(tick);
      done();
    }, 1);
  });
  await Promise.all(underWay);
  await agent.close();
  return taken.toSorted((left, right) => left - right);
}

/** The quantile `share` of an ascending list. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

interface Way {
  readonly name: 'straight' | 'plain proxy' | 'observe';
  readonly origin: string;
  /** Milliseconds of whole requests, ascending, by turn. */
  readonly turns: (readonly number[])[];
}

interface ProxyOverhead {
  readonly ways: readonly Way[];
  /** Exchanges that the observation judged: all of them, unless some were dropped. */
  readonly judged: number;
  /** Peak memory of the observing process in bytes. Undefined where the system does not report it. */
  readonly peakBytes: number | undefined;
}

/** Sends the same load directly, through a plain proxy and through `observe`, in turns, so that conditions are the same. */
async function measureProxyOverhead({ scratch, progress }: BenchContext): Promise<ProxyOverhead> {
  const target = path.join(scratch, 'canned.yaml');
  await using canned = await serveBy(programs, ['canned-compute', target]);
  const port = new URL(canned.said.trim()).port;
  await using plain = await serveBy(programs, ['plain-proxy', port]);
  const anywhere = '127.0.0.1:0';
  const report = path.join(scratch, 'report');
  await using observe = await serveBy(
    plumblineBin,
    ['observe', target].concat('--listen', anywhere, '--page', anywhere, '--out', report),
  );
  const [, through = '', page = ''] =
    /send to (http:\/\/[^/\s]+)[\s\S]*page is at (\S+)/u.exec(observe.said) ?? [];
  const ways: readonly Way[] = [
    { name: 'straight', origin: canned.said.trim(), turns: [] },
    { name: 'plain proxy', origin: plain.said.trim(), turns: [] },
    { name: 'observe', origin: through, turns: [] },
  ];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    progress(turn === 0 ? 'warming up' : `turn ${turn} of ${TURNS}`);
    for (const { origin, turns } of ways) {
      // A program that has just started is slow.
      const lasts = turn === 0 ? WARM_UP_S : TURN_S;
      const taken = await steadyLoad(`${origin}/v1/instances`, lasts);
      if (turn > 0) turns.push(taken);
    }
  }
  const live: LiveTraffic = JSON.parse(await (await fetch(new URL('live.json', page))).text());
  return { ways, judged: live.judged, peakBytes: peakOf(observe.pid) };
}

/** A quantile of each turn: its median over the turns, and its value in the best turn. */
function shares(
  { turns }: Way,
  share: number,
): { readonly middle: number; readonly calmest: number } {
  const byTurn = turns.map((taken) => quantile(taken, share)).toSorted((one, other) => one - other);
  return { middle: quantile(byTurn, 0.5), calmest: byTurn[0] ?? Number.NaN };
}

export const proxyOverhead: Benchmark = {
  name: 'proxy-overhead',
  measure: async (context) => {
    const { ways, judged, peakBytes } = await measureProxyOverhead(context);
    const [straight] = ways;
    if (straight === undefined) return [];
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    const base = { median: shares(straight, 0.5), slow: shares(straight, 0.99) };
    return [
      {
        title: 'What observing adds to a request',
        columns: 'way|median|99 of 100|calmest turn|added: median|99 of 100|calmest turn'.split(
          '|',
        ),
        rows: ways.map((way) => {
          const [median, slow] = [shares(way, 0.5), shares(way, 0.99)];
          return [
            way.name,
            ms(median.middle),
            ms(slow.middle),
            ms(slow.calmest),
            ms(median.middle - base.median.middle),
            ms(slow.middle - base.slow.middle),
            ms(slow.calmest - base.slow.calmest),
          ];
        }),
        notes: [
          `${PER_SECOND} requests a second on loopback, each of a page of 10 instances; the three ways take ${TURNS} turns of ${TURN_S} s each; target, proxies and client are processes of their own.`,
          'Each figure is that of the turn in the middle, or of the calmest one: on a machine that others use, the slowest requests are those that waited for a processor, whatever way they took.',
          `The observation judged ${whole(judged)} exchanges, its warm-up included; its highest memory was ${mebibytes(peakBytes)}.`,
        ],
      },
    ];
  },
};
