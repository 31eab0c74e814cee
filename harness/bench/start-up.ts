/** How long the command takes to say something, and until its first request. */

import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { request } from 'undici';
import { type Benchmark, seconds } from './tables.ts';
import { measured } from './measured-process.ts';
import { plumblineBin, serveReference, suiteRun } from './served.ts';

const TIMES = 5;

export const startUp: Benchmark = {
  name: 'start-up',
  measure: async ({ scratch, tell }) => {
    tell('starting up');
    const helps: number[] = [];
    for (let turn = 0; turn < TIMES; turn += 1) {
      const { wallSeconds } = await measured({
        command: process.execPath,
        args: [plumblineBin, '--help'],
        scratch,
        timeoutMs: 30_000,
      });
      helps.push(wallSeconds);
    }
    const file = path.join(scratch, 'start-up.yaml');
    const served = await serveReference('compute', file);
    const firsts: number[] = [];
    const suiteFirsts: number[] = [];
    try {
      for (let turn = 0; turn < TIMES; turn += 1) {
        const [first = 0, second = 0] = await requestTimes(file, scratch);
        firsts.push(first);
        suiteFirsts.push(second);
      }
    } finally {
      await served.stop();
    }
    return [
      {
        title: 'Start',
        columns: ['from the start of the process to', 'median', 'slowest'],
        rows: [
          ['the end of `plumbline --help`', ...spread(helps)],
          ['the first request of a run, which tries the key', ...spread(firsts)],
          ['the first request of a suite', ...spread(suiteFirsts)],
        ],
        notes: [`${TIMES} times each, by the clock of a front that notes when requests come.`],
      },
    ];
  },
};

/** Seconds from the start of a run to each request that it makes, through a front that passes them on. */
async function requestTimes(file: string, scratch: string): Promise<readonly number[]> {
  const yaml = await readFile(file, 'utf8');
  const [, origin = ''] = /^baseUrl: (http:\/\/[\d.]+:\d+)/mu.exec(yaml) ?? [];
  const times: number[] = [];
  const front = createServer((asked, answer) => {
    times.push(performance.now());
    void passOn(`${origin}${asked.url}`, asked.headers.authorization ?? '', answer);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  try {
    const address = front.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const fronted = path.join(scratch, 'fronted.yaml');
    await writeFile(fronted, yaml.replace(origin, `http://127.0.0.1:${port}`));
    const from = performance.now();
    await suiteRun(scratch, [fronted, '--only', 'compute.regions.answers']);
    return times.map((at) => (at - from) / 1000);
  } finally {
    front.close();
    front.closeAllConnections();
  }
}

async function passOn(url: string, authorization: string, answer: ServerResponse): Promise<void> {
  const { statusCode, headers, body } = await request(url, { headers: { authorization } });
  answer.writeHead(statusCode, { 'content-type': String(headers['content-type']) });
  answer.end(await body.text());
}

function spread(values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((one, other) => one - other);
  return [seconds(sorted[Math.floor(sorted.length / 2)]), seconds(sorted.at(-1))];
}
