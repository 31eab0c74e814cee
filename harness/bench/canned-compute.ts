/** A process that answers everything with one page of instances, as fast as Node can: `FILE` gets its target file. */

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file = ''] = process.argv.slice(2);
const ITEMS = 10;

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

const server = createServer((request, response) => {
  request.resume();
  response
    .writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(page),
    })
    .end(page);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const target = {
    name: 'canned',
    contract: 'compute',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    keys: { primary: 'a-key-for-the-benchmark' },
  };
  writeFileSync(file, JSON.stringify(target));
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
