/** Programs that benchmarks start as separate processes: `NAME ARGUMENT...`. A server prints its address once it serves. */

import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { listenOn } from '../backend/address.ts';

/** Forwards bytes to a loopback port, and the response bytes after `lateMs` milliseconds. */
async function plainProxy(port: string, lateMs: number): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
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
  'plain-proxy': async () => plainProxy(first, Number(second)),
  'served-compute': async () => servedCompute(first, second),
};
await programs[name]?.();
