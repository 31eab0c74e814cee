/** What `plumbline observe` adds to each request, beside a proxy that only passes bytes on. */

import path from 'node:path';
import type { LiveTraffic } from '../../schemas/live.ts';
import type { BenchContext, Benchmark } from './benchmark.ts';
import { mebibytes, whole } from './figures.ts';
import { treeMemory } from './process-tree.ts';
import { plumblineBin, program, serveBy } from './served.ts';
import { quantile, steadyLoad } from './steady-load.ts';

const PER_SECOND = 500;
/** Seconds of load on each way in one turn, and how many turns each way gets. */
const TURN_S = 2;
const TURNS = 6;

interface ProxyOverhead {
  /** Milliseconds of whole requests, and what each way adds to those sent straight to the target. */
  readonly ways: readonly {
    readonly name: 'straight' | 'plain proxy' | 'observe';
    readonly requests: number;
    readonly median: number;
    readonly p99: number;
    readonly addedMedian: number;
    readonly addedP99: number;
  }[];
  /** Exchanges that the observation judged; all that it saw when nothing was dropped. */
  readonly judged: number;
  /** Bytes of memory of the observing process at its highest; undefined where the system does not tell. */
  readonly peakBytes: number | undefined;
}

/** Sends the same load straight, through a plain proxy and through `observe`, in turns, so that all meet the same machine. */
async function measureProxyOverhead({ scratch, tell }: BenchContext): Promise<ProxyOverhead> {
  const target = path.join(scratch, 'canned.yaml');
  const canned = await serveBy(program('bench/canned-compute'), [target]);
  const port = new URL(canned.said.trim()).port;
  const plain = await serveBy(program('bench/plain-proxy'), [port]);
  const anywhere = '127.0.0.1:0';
  const report = path.join(scratch, 'report');
  const observe = await serveBy(
    plumblineBin,
    ['observe', target].concat('--listen', anywhere, '--page', anywhere, '--out', report),
  );
  const [, through = '', page = ''] =
    /send to (http:\/\/[^/\s]+)[\s\S]*page is at (\S+)/u.exec(observe.said) ?? [];
  try {
    const ways = [
      { name: 'straight', origin: canned.said.trim(), taken: [] as number[] },
      { name: 'plain proxy', origin: plain.said.trim(), taken: [] as number[] },
      { name: 'observe', origin: through, taken: [] as number[] },
    ] as const;
    const load = {
      key: 'a-key-for-the-benchmark',
      perSecond: PER_SECOND,
    };
    for (const { origin } of ways) {
      // Programs that have just begun are slow.
      await steadyLoad({ ...load, url: `${origin}/v1/instances`, seconds: 1 });
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      tell(`turn ${turn + 1} of ${TURNS}`);
      for (const { origin, taken } of ways) {
        taken.push(
          ...(await steadyLoad({ ...load, url: `${origin}/v1/instances`, seconds: TURN_S })),
        );
      }
    }
    const live: LiveTraffic = JSON.parse(await (await fetch(new URL('live.json', page))).text());
    const told = ways.map(({ name, taken }) => {
      const sorted = taken.toSorted((left, right) => left - right);
      return {
        name,
        requests: sorted.length,
        median: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
      };
    });
    const [straight] = told;
    return {
      ways: told.map((way) => ({
        ...way,
        addedMedian: way.median - (straight?.median ?? 0),
        addedP99: way.p99 - (straight?.p99 ?? 0),
      })),
      judged: live.judged,
      peakBytes: observe.pid === undefined ? undefined : treeMemory(observe.pid),
    };
  } finally {
    for (const served of [observe, plain, canned]) await served.stop();
  }
}

export const proxyOverhead: Benchmark = {
  name: 'proxy-overhead',
  measure: async (context) => {
    const { ways, judged, peakBytes } = await measureProxyOverhead(context);
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    return [
      {
        title: 'What observing adds to a request',
        columns: ['way', 'requests', 'median', '99 of 100', 'added, median', 'added, 99 of 100'],
        rows: ways.map((way) => [
          way.name,
          whole(way.requests),
          ms(way.median),
          ms(way.p99),
          ms(way.addedMedian),
          ms(way.addedP99),
        ]),
        notes: [
          `${PER_SECOND} requests a second on loopback, each of a page of 10 instances; the three ways take turns of ${TURN_S} s, each with a process of its own for target, proxy and client.`,
          `The observation judged ${whole(judged)} exchanges, its warm-up included; its highest memory was ${mebibytes(peakBytes)}.`,
        ],
      },
    ];
  },
};
