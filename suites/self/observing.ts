/** Runs `plumbline observe` as a user does, in front of a deployment, until it is stopped. */

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LiveTraffic } from '../../schemas/live.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { bin, folderWith, readReport } from './command.ts';

export interface Observing {
  readonly origin: string;
  readonly page: string;
  readonly folder: string;
  readonly live: () => Promise<LiveTraffic>;
  /** Stops it and reads its report. */
  readonly end: () => Promise<{
    readonly code: number;
    readonly report: ConformanceReport;
    readonly output: string;
  }>;
  /** Kills it in any state, for a failed test. */
  readonly kill: () => void;
}

/** Starts an observation on free ports, and resolves once it listens. */
export async function observing(
  target: object,
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Observing> {
  const folder = folderWith();
  writeFileSync(path.join(folder, 'target.yaml'), JSON.stringify(target));
  const child = spawn(
    process.execPath,
    [bin, 'observe', 'target.yaml', '--listen', '127.0.0.1:0', '--page', '127.0.0.1:0', ...options],
    { cwd: folder, env: { ...process.env, CI: 'true', NO_COLOR: '1', ...environment } },
  );
  let output = '';
  const ended = new Promise<number>((done) => {
    child.once('exit', (code) => done(code ?? -1));
  });
  const origin = await new Promise<string>((resolve, reject) => {
    const take = (text: unknown): void => {
      output += String(text);
      const found = /send to (http:\/\/[^/\s]+)[\s\S]*page is at (\S+)/u.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
  const page = /page is at (\S+)/u.exec(output)?.[1] ?? '';
  return {
    origin,
    page,
    folder,
    live: async () => {
      const live: LiveTraffic = JSON.parse(await (await fetch(new URL('live.json', page))).text());
      return live;
    },
    end: async () => {
      child.kill('SIGINT');
      return { code: await ended, report: readReport(folder, 'conformance-observed'), output };
    },
    kill: () => end(child),
  };
}

function end(child: ChildProcess): void {
  if (child.exitCode === null) child.kill('SIGKILL');
}
