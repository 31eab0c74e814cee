/**
 * Starts Prism's proxy before a deployment, sends recorded requests through it, and prints what it found in the
 * answers, one line each: `PRISM DOCUMENT UPSTREAM TRAFFIC`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Agent } from 'undici';
import { z } from 'zod';
import type { RecordedLine } from '../recording-preload.ts';

const [bin = '', document = '', upstream = '', traffic = ''] = process.argv.slice(2);
const CONCURRENCY = 8;
const START_LIMIT_MS = 20_000;

const violations = z.array(
  z.object({ location: z.array(z.string()), severity: z.string(), code: z.string() }),
);

/** A port that is free now; Prism wants to be told one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const port = await freePort();
const proxy = spawn(
  process.execPath,
  [bin, 'proxy', document, upstream, '--port', String(port), '--errors', 'false'],
  { stdio: ['ignore', 'pipe', 'ignore'] },
);
await new Promise<void>((ready, failed) => {
  let said = '';
  const limit = setTimeout(() => failed(new Error('Prism did not start')), START_LIMIT_MS);
  proxy.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
    if (!said.includes('listening')) return;
    clearTimeout(limit);
    ready();
  });
  proxy.once('exit', () => failed(new Error(`Prism ended: ${said}`)));
});

const agent = new Agent({ allowH2: false, pipelining: 1 });
const found = new Set<string>();
const base = new URL(upstream).pathname;
const lines = readFileSync(traffic, 'utf8').split('\n');
let next = 0;

async function pass({ method, path, headers, body }: RecordedLine): Promise<void> {
  const answer = await agent.request({
    origin: `http://127.0.0.1:${port}`,
    path: path.startsWith(base) ? path.slice(base.length) : path,
    method,
    headers: [...headers],
    body: body === undefined ? null : Buffer.from(body, 'base64'),
    signal: AbortSignal.timeout(10_000),
  });
  await answer.body.dump();
  const told = answer.headers['sl-violations'];
  if (typeof told !== 'string') return;
  for (const { location, severity, code } of violations.parse(JSON.parse(told))) {
    // What is wrong with requests is wrong on purpose.
    if (location[0] !== 'response' || severity !== 'Error') continue;
    const where = location.filter((part) => !/^\d+$/u.test(part)).join('.');
    found.add(`${method} ${answer.statusCode} ${code} ${where}`);
  }
}

await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    for (let line = lines[next++]; line !== undefined; line = lines[next++]) {
      // A connection that ends early is nothing that Prism reports.
      await pass(JSON.parse(line)).catch(() => undefined);
    }
  }),
);
await agent.close();
proxy.removeAllListeners('exit');
proxy.kill();
process.stdout.write([...found].toSorted().join('\n'));
