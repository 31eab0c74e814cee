/** `plumbline observe` in front of compute deployments: one with TLS that is selected by name, and the suite as a client. */

import { connect } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type ComputeOptions, startCompute } from '../../harness/reference/compute/start.ts';
import { authority, issued } from './certificates.ts';
import { folderWith, observing } from './command.ts';
import { tunnelTo } from './tunnel.ts';
import { listening, portOf } from '../../harness/exchange/listening.test.support.ts';
import { faultOf } from './broken.ts';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';

const reference = await startCompute();
/** All bytes that the TLS front has received. */
let asked = '';
const front = createServer({ ...issued.good, allowHalfOpen: true }, (client) => {
  const behind = connect({ port: reference.port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('data', (bytes: Buffer) => {
    asked += bytes.toString('latin1');
  });
  client.pipe(behind);
  behind.pipe(client);
  client.on('error', () => behind.destroy());
  behind.on('error', () => client.destroy());
});
const listener = await listening(front);
const { port } = listener;
afterAll(async () => {
  await listener.close();
  await reference.close();
});

async function watched(...given: Parameters<typeof observing>) {
  const observed = await observing(...given);
  onTestFinished(observed.kill);
  return observed;
}

async function started(options?: ComputeOptions) {
  const ours = await startCompute(options);
  onTestFinished(async () => ours.close());
  return ours;
}

/** Sends a read to a deployment through its observation. */
const read = async ({ origin }: { readonly origin: string }, place: string, of = reference) =>
  fetch(`${origin}/v1/${place}`, {
    headers: { Authorization: `Bearer ${of.target().keys.primary}` },
  });

/** The target behind TLS, and the file of its authority. */
const secure = { ...reference.target(), baseUrl: `https://localhost:${port}/v1` };
const ca = path.join(folderWith({ 'authority.pem': authority }), 'authority.pem');

test('clients speak plain HTTP to it, and the target hears its own name', async () => {
  const observed = await watched(secure, ['--host', 'target'], { NODE_EXTRA_CA_CERTS: ca });
  const answer = await read(observed, 'instances?size=3');
  expect(answer.status).toBe(200);
  expect(Object(await answer.json()).data).toHaveLength(3);
  expect(asked).toContain(`localhost:${port}`);
  expect(asked).not.toContain(new URL(observed.origin).host);
  const { code, report, output } = await observed.end();
  expect(code, output).toBe(0);
  expect(report.targets[0]?.observed?.judged).toBe(1);
});

test('a target that cannot be trusted is told before anything is passed on', async () => {
  await expect(observing(secure)).rejects.toThrow(/ended with 3: [\s\S]*could not be reached/u);
});

test('a proxy, an authority and headers are those of the target file and the environment', async () => {
  const seen: (string | undefined)[] = [];
  const way = await portOf(tunnelTo(port, ({ url }) => seen.push(url)));
  // The certificate is for localhost; the final dot keeps the name from counting as loopback.
  const baseUrl = `https://localhost.:${port}/v1`;
  const observed = await watched(
    { contract: 'compute', baseUrl, keys: { primary: '${KEY}' }, tls: { ca } },
    ['--header', 'X-Gate: ${GATE}'],
    {
      HTTPS_PROXY: `http://127.0.0.1:${way}`,
      GATE: 'of-a-gate-2',
      KEY: reference.target().keys.primary,
    },
  );
  asked = '';
  expect((await read(observed, 'regions')).status).toBe(200);
  expect(asked).toContain('\r\nX-Gate: of-a-gate-2\r\n\r\n');
  expect(new Set(seen)).toEqual(new Set([`localhost.:${port}`]));
  const { code, report, output } = await observed.end();
  expect(code, output).toBe(0);
  expect(report.targets[0]?.observed?.judged).toBe(1);
});

const ASKED = { only: ['compute.authentication', 'compute.get-instance'], seed: 5 };

test('what a run finds through it is what it finds without it', async () => {
  const ours = await started();
  const observed = await watched(ours.target(), ['--exclusive']);
  const through = { ...ours.target(), baseUrl: `${observed.origin}/v1` };
  const run = await runConformance(through, ASKED);
  expect(run.requirements.flatMap(({ findings }) => findings)).toEqual([]);
  expect(run.targets[0]?.summary.stated.inconclusive).toBe(0);
  const { code, report, output } = await observed.end();
  expect(report.requirements.flatMap(({ findings }) => findings)).toEqual([]);
  expect(code, output).toBe(0);
  const [target] = report.targets;
  expect(target?.observed?.notJudged).toEqual([]);
  // The observation also sees the requests before and after the cases.
  expect(target?.observed?.judged).toBeGreaterThanOrEqual(run.run.requests);
});

test('a fault that any client can meet is found in the traffic of others', async () => {
  const fault = faultOf('envelope-is-flat');
  const ours = await started({ patch: fault.patch });
  const observed = await watched(ours.target());
  for (const place of ['regions', 'instances/no-uuid']) {
    await (await read(observed, place, ours)).text();
  }
  const { code, report, output } = await observed.end();
  expect(code, output).toBe(1);
  const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
  expect(failed.map(({ id }) => id)).toEqual([fault.aims, ...fault.besides]);
  const [finding] = failed[0]?.findings ?? [];
  expect(report.exchanges.find(({ id }) => id === finding?.exchange)?.request.url).toBe(
    `${ours.baseUrl}/instances/no-uuid`,
  );
});
