/** A flaky proxy in front of a violating target: network problems are no violations, and do not hide the real one. */

import { expect, onTestFinished, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { startScriptedRouter } from '../../harness/reference/router/start.ts';
import { createServer, type IncomingMessage, request as forward } from 'node:http';
import { portOf } from '../../harness/exchange/listening.test.support.ts';
import { createRandom } from './random.ts';
import { runWholeSuite } from './whole-suite.ts';

/** Each kind of disturbance affects one in this many requests. */
const DISTURBED_ONE_IN = 100;
/** The headers of one in this many forwarded responses are changed, as a violation. */
const CHANGED_ONE_IN = 200;
const SLOW_MS = 300;

/**
 * A proxy that forwards everything, but at random answers 502, resets, delays a request, or cuts a response short. It
 * tells how many requests it has disturbed, and how many responses it has changed.
 */
async function startFlakyFront(behind: number, change: (raw: readonly string[]) => string[]) {
  const random = createRandom(1);
  let spoiled = 0;
  let answers = 0;
  const headersOf = ({ rawHeaders }: IncomingMessage): string[] => {
    answers += 1;
    return answers % CHANGED_ONE_IN === 0 ? change(rawHeaders) : rawHeaders;
  };
  const server = createServer((incoming, outgoing) => {
    const draw = Math.floor(random() * DISTURBED_ONE_IN);
    if (draw < 4) spoiled += 1;
    if (draw === 0) {
      outgoing.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    }
    if (draw === 1) {
      incoming.socket.resetAndDestroy();
      return;
    }
    const pass = (): void => {
      const onward = forward(
        {
          host: '127.0.0.1',
          port: behind,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.rawHeaders,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.statusMessage, headersOf(answer));
          // Flushes at once, so that event streams are not delayed and an early end stays visible.
          outgoing.flushHeaders();
          // Nothing follows a cut: a proper end would turn it into a complete response that lacks a byte.
          let cut = false;
          answer.on('data', (piece: Buffer) => {
            if (cut) return;
            cut = draw === 3;
            if (cut) outgoing.write(piece.subarray(0, -1), () => incoming.socket.end());
            else outgoing.write(piece);
          });
          answer.on('end', () => {
            if (!cut) outgoing.end();
          });
          answer.on('error', () => incoming.socket.resetAndDestroy());
        },
      );
      // A response may arrive before the whole request was sent; then the error does not matter.
      onward.on('error', () => {
        if (!outgoing.headersSent) outgoing.destroy();
      });
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    if (draw === 2) setTimeout(pass, SLOW_MS);
    else pass();
  });
  return {
    port: await portOf(server),
    spoiled: () => spoiled,
    changed: () => Math.floor(answers / CHANGED_ONE_IN),
  };
}

/** Raw headers (alternating names and values) without the named one. */
function without(name: string, raw: readonly string[]): string[] {
  const at = raw.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? [...raw] : [...raw.slice(0, at), ...raw.slice(at + 2)];
}

const deployments = {
  compute: {
    start: async () => startCompute(),
    headers: (raw: readonly string[]) => [
      ...without('content-type', raw),
      'Content-Type',
      'text/plain',
    ],
    shownBy: /^compute\.media\.(?:success|error)-label$/u,
    within: ['list-instances', 'states', 'authentication'],
  },
  router: {
    start: async () => startScriptedRouter({ limits: { maxRequestBytes: 256 * 1024 } }),
    headers: (raw: readonly string[]) => without('x-request-id', raw),
    shownBy: /^router\.response-headers\.request-id-on-/u,
    within: ['endpoints', 'streaming', 'admission', 'transparent-proxy'],
  },
} as const;

test.for(['compute', 'router'] as const)(
  '%s behind a flaky front: what fails at random is no violation, what breaks one answer in 200 is found',
  { timeout: 240_000 },
  async (contract) => {
    const { start, headers, shownBy, within } = deployments[contract];
    const reference = await start();
    onTestFinished(async () => reference.close());
    const { port, pathname } = new URL(reference.baseUrl);
    const front = await startFlakyFront(Number(port), headers);
    const origin = `http://127.0.0.1:${front.port}`;
    const report = await runWholeSuite(
      { ...reference.target(), baseUrl: `${origin}${pathname === '/' ? '' : pathname}` },
      { runs: 5, within },
    );
    expect(front.spoiled()).toBeGreaterThan(0);
    expect(front.changed()).toBeGreaterThan(0);
    expect(report.troubles).toEqual([]);
    const broken = report.requirements
      .filter(({ violations }) => violations > 0)
      .map(({ id, findings }) => ({ id, actual: findings.map(({ actual }) => actual) }));
    expect(broken.filter(({ id }) => !shownBy.test(id))).toEqual([]);
    expect(broken).not.toEqual([]);
    // Network problems may make only a few verdicts inconclusive, and the report counts the retries.
    const inconclusive = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
    expect(inconclusive.length).toBeLessThan(report.requirements.length / 20);
    expect(report.targets.map(({ retries }) => retries > 0)).toEqual([true]);
  },
);
