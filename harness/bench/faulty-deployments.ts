/** Faulty deployments for peers, in one process beside the one that measures. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { z } from 'zod';
import { loadTarget } from '../target/load.ts';
import { program } from './served.ts';

/** The name of the reference as it is, among those of faults. */
export const UNCHANGED = 'unchanged';

export interface Deployment {
  readonly name: string;
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Of the account that may do everything. */
  readonly key: string;
  /** Its target file. */
  readonly file: string;
  /** An instance that may be stopped. */
  readonly instance: string;
}

export interface FaultyDeployments {
  readonly deployments: readonly Deployment[];
  /** Requests that the unchanged reference has had. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const counts = z.record(z.string(), z.number());

/** Starts the unchanged reference and one deployment for each fault; files go to the folder. */
export async function serveFaults(
  folder: string,
  faults: readonly string[],
): Promise<FaultyDeployments> {
  const names = [UNCHANGED, ...faults];
  const child = fork(program('bench/served-faults'), [folder, ...names], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`the faulty deployments ended with ${code}`);
    }),
  ]);
  return {
    deployments: await Promise.all(names.map((name) => deployment(folder, name))),
    requests: async () => {
      child.send('counts');
      const [answer] = await once(child, 'message');
      return counts.parse(answer)[UNCHANGED] ?? 0;
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

async function deployment(folder: string, name: string): Promise<Deployment> {
  const file = path.join(folder, `${name}.yaml`);
  const { target, keys } = await loadTarget(file, {});
  const stopped = target.contract === 'compute' ? target.instances?.stopped : undefined;
  return {
    name,
    baseUrl: target.baseUrl,
    key: keys.get('primary')?.reveal() ?? '',
    file,
    instance: stopped?.[0] ?? '',
  };
}
