/**
 * A process that sends recorded requests again and reads the answers to their end, and does nothing else:
 * `FILE CONCURRENCY`. It prints how many were answered.
 */

import { readFileSync } from 'node:fs';
import { Agent } from 'undici';
import type { RecordedLine } from './recording-preload.ts';

const [file = '', concurrency = '1'] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
const agent = new Agent({ allowH2: false, pipelining: 1 });
/** Answers that an engine holds back on purpose are not waited for. */
const LONGEST_MS = 8_000;

let next = 0;
let answered = 0;

async function send(line: RecordedLine): Promise<void> {
  try {
    const { body } = await agent.request({
      origin: line.origin,
      path: line.path,
      method: line.method,
      headers: [...line.headers],
      body: line.body === undefined ? null : Buffer.from(line.body, 'base64'),
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    for await (const piece of body) void piece;
    answered += 1;
  } catch {
    // A connection that the peer cut on purpose is the end of that exchange.
  }
}

await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    for (let line = lines[next++]; line !== undefined; line = lines[next++]) {
      await send(JSON.parse(line));
    }
  }),
);
await agent.close();
process.stdout.write(`${answered}\n`);
