/** Peers and Plumbline before the same faulty deployments of the compute contract. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { proveAll } from '../../proving/prove-all.ts';
import type { BenchContext, Benchmark, Table } from '../benchmark.ts';
import { faultSample } from '../fault-sample.ts';
import { type Deployment, serveFaults } from '../faulty-deployments.ts';
import { mebibytes, seconds, whole } from '../figures.ts';
import { referenceRun } from '../reference-run.ts';
import { peerDocument } from './document.ts';
import { dredd } from './dredd.ts';
import type { Peer, ReadyPeer } from './peer.ts';
import { prism } from './prism.ts';
import { schemathesis } from './schemathesis.ts';
import { specmatic } from './specmatic.ts';

const peers: readonly Peer[] = [schemathesis, dredd, prism, specmatic];

/** Deployments that a peer is put before at once; as many as there are processors on a small machine. */
const AT_ONCE = 2;
/** Has no divisor in common with the number of faults. */
const STRIDE = 7;

/** What one tool made of the sample. */
interface Outcome {
  readonly name: string;
  readonly used: string;
  readonly cells: readonly string[];
  /** Faults tried, with whether they were found. */
  readonly found: ReadonlyMap<string, boolean>;
}

export const comparison: Benchmark = {
  name: 'peers',
  measure: async (context) => {
    const outcomes = [await plumbline(context)];
    context.tell('installing and finding peers');
    const prepared = await Promise.all(
      peers.map(async (peer) => {
        const folder = path.join(context.scratch, peer.name.replaceAll(/\W/gu, '-'));
        mkdirSync(folder);
        return { peer, folder, ready: await peer.prepare(folder) };
      }),
    );
    const left = prepared.filter(({ ready }) => typeof ready !== 'string');
    // What a peer does not come to in its share of the time is told.
    for (const one of prepared) {
      const share = context.remainingMs() / Math.max(1, left.length);
      if (left.includes(one)) left.shift();
      outcomes.push(await outcomeOf(one, performance.now() + share, context));
    }
    return [summary(outcomes), details(outcomes)];
  },
};

async function plumbline({ scratch, tell }: BenchContext): Promise<Outcome> {
  tell('Plumbline');
  const run = await referenceRun(scratch, 'compute');
  const proofs = await proveAll({
    contracts: ['compute'],
    faults: faultSample,
    faultsOnly: true,
    depth: 'likely',
    seed: 1,
    runs: 20,
  });
  return {
    name: 'Plumbline',
    used: 'a full run; before a faulty deployment it goes on until it has found what is wrong',
    cells: [
      whole(run.requests),
      seconds(run.wallSeconds),
      seconds(run.cpuSeconds),
      mebibytes(run.peakBytes),
    ],
    found: new Map(proofs.map(({ name, found }) => [name, found.length > 0])),
  };
}

interface Prepared {
  readonly peer: Peer;
  readonly folder: string;
  readonly ready: ReadyPeer | string;
}

async function outcomeOf(
  { peer, folder, ready }: Prepared,
  until: number,
  { tell }: BenchContext,
): Promise<Outcome> {
  tell(peer.name);
  const absent = (why: string): Outcome => ({
    name: peer.name,
    used: `not measured: ${why}`,
    cells: ['–', '–', '–', '–'],
    found: new Map(),
  });
  if (typeof ready === 'string') return absent(ready);
  const serving = await serveFaults(folder, faultSample);
  try {
    const [unchanged, ...faulty] = serving.deployments;
    if (unchanged === undefined) throw new Error('there is no unchanged deployment');
    const document = await peerDocument(unchanged, folder);
    const alone = await ready.run(unchanged, document, folder);
    const requests = await serving.requests();
    if (alone.failures === undefined) {
      return absent(
        `it came to no result on the reference (${firstLine(alone.measurement.stderr)})`,
      );
    }
    // What it says of the reference now and then is nothing that a fault brought about.
    const again = await ready.run(unchanged, document, folder);
    const usual = new Set([...alone.failures, ...(again.failures ?? [])]);
    const { wallSeconds, cpuSeconds, peakBytes } = alone.measurement;
    return {
      name: `${peer.name} ${ready.version}`,
      used: `${peer.used}; it reports ${usual.size} failures of the unchanged reference`,
      cells: [whole(requests), seconds(wallSeconds), seconds(cpuSeconds), mebibytes(peakBytes)],
      found: await tryAll(faulty, until, async (deployment) =>
        isFound(ready, usual, deployment, document, folder),
      ),
    };
  } finally {
    await serving.stop();
  }
}

/** A fault is found when something is reported that is not reported of the unchanged reference. */
async function isFound(
  ready: ReadyPeer,
  usual: ReadonlySet<string>,
  deployment: Deployment,
  document: string,
  scratch: string,
): Promise<boolean | undefined> {
  const { failures } = await ready.run(deployment, document, scratch);
  return failures === undefined ? undefined : [...failures].some((failure) => !usual.has(failure));
}

async function tryAll(
  deployments: readonly Deployment[],
  until: number,
  attempt: (deployment: Deployment) => Promise<boolean | undefined>,
): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  // Where time runs out, what was tried is spread over the sample: a stride that meets every one.
  const queue = deployments.flatMap(
    (_, index) => deployments[(index * STRIDE) % deployments.length] ?? [],
  );
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        if (performance.now() > until) return;
        const result = await attempt(one);
        if (result !== undefined) found.set(one.name, result);
      }
    }),
  );
  return found;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

function summary(outcomes: readonly Outcome[]): Table {
  return {
    title: 'Before the same faulty servers',
    columns: ['tool', 'requests', 'wall', 'CPU', 'peak memory', 'faults found'],
    rows: outcomes.map(({ name, cells, found }) => [name, ...cells, shareOf(found)]),
    notes: [
      `Compute, with the contract as \`plumbline export openapi\` writes it; the success statuses of the reference and an example id were put in, because some of the tools need them. Cost is that of one run on the unchanged reference. ${faultSample.length} faults are a fixed sample of the catalogue.`,
      'A tool finds a fault when its result on the faulty server has a reported failure that its results on the unchanged reference, two of them, have not. Most faults are in relations between answers, of which an OpenAPI document says nothing.',
      ...outcomes.map(({ name, used }) => `${name}: ${used}.`),
    ],
  };
}

function shareOf(found: ReadonlyMap<string, boolean>): string {
  if (found.size === 0) return '–';
  const yes = [...found.values()].filter(Boolean).length;
  return found.size === faultSample.length
    ? `${yes} of ${found.size}`
    : `${yes} of ${found.size} that it came to`;
}

function details(outcomes: readonly Outcome[]): Table {
  const tools = outcomes.filter(({ found }) => found.size > 0);
  return {
    title: 'Which fault is found by which tool',
    columns: ['fault', ...tools.map(({ name }) => name)],
    rows: faultSample.map((fault) => [
      fault,
      ...tools.map(({ found }) => {
        const known = found.get(fault);
        return known === undefined ? '–' : known ? 'found' : 'no';
      }),
    ]),
    notes: ['A dash: not tried in the time, or no result.'],
  };
}
