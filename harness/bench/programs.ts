/** Programs that benchmarks start as separate processes: `NAME ARGUMENT...`. A server prints its address once it serves. */

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import { listenOn } from '../backend/address.ts';

/** Instances on the page of the canned server. */
const ITEMS = 10;

/** Answers every request with one page of instances, as fast as Node can. Writes its target file to `file`. */
async function cannedCompute(file: string): Promise<void> {
  const page = JSON.stringify({
    data: Array.from({ length: ITEMS }, (_, at) => ({
      instance_id: randomUUID(),
      name: `instance ${at}`,
      status: 'RUNNING',
      region: 'FR',
      gpu_type: 'H100',
      size: '8x-h100',
      cpu_count: 128,
      resources: '8 x H100, 128 vCPU',
      bandwidth: 10_000,
      storage_used_gb: 250.5,
      hourly_rate: 19.5,
      current_cost: 39,
      total_cost_incurred: 78,
      total_runtime_hours: 4,
      ttl_remaining_hours: 100.5,
      started_at: '2026-11-20T10:00:00Z',
      terminated_at: null,
      termination_reason: null,
      guest_ready: 'READY',
      guest_ready_reason: null,
    })),
    pagination: { next: null, size: 50 },
  });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(page) };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, headers).end(page);
  });
  const origin = await listenOn(server, '127.0.0.1:0');
  const keys = { primary: 'a-key-for-the-benchmark' };
  const target = { name: 'canned', contract: 'compute', baseUrl: `${origin}/v1`, keys };
  writeFileSync(file, JSON.stringify(target));
  process.stdout.write(`${origin}\n`);
}

/** Forwards bytes to a loopback port, and the response bytes after `lateMs` milliseconds. */
async function plainProxy(port: string, lateMs: number): Promise<void> {
  const server = createNetServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const to = { port: Number(port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true };
    const target = connect(to);
    client.pipe(target);
    if (lateMs === 0) target.pipe(client);
    else {
      target.on('data', (bytes) => setTimeout(() => client.write(bytes), lateMs));
      target.on('end', () => setTimeout(() => client.end(), lateMs));
      target.on('close', () => setTimeout(() => client.destroy(), lateMs));
    }
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  });
  process.stdout.write(`${await listenOn(server, '127.0.0.1:0')}\n`);
}

/** A compute deployment with this many instances. Writes its target file to `file`. */
async function servedCompute(instances: string, file: string): Promise<void> {
  const [{ startCompute }, { asTargetFile }] = await Promise.all([
    import('../reference/compute/start.ts'),
    import('../target/draft.ts'),
  ]);
  const reference = await startCompute({ instances: Number(instances) });
  writeFileSync(file, asTargetFile(reference.target()));
  process.stdout.write('ready\n');
}

const [name = '', first = '', second = ''] = process.argv.slice(2);
const programs: Readonly<Record<string, () => Promise<void>>> = {
  'canned-compute': async () => cannedCompute(first),
  'plain-proxy': async () => plainProxy(first, Number(second)),
  'served-compute': async () => servedCompute(first, second),
};
await programs[name]?.();
