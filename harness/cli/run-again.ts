/** Runs some requirements of an earlier run again, each time in a process of its own. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConformanceReport } from '../../schemas/report.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { readReport } from './read-report.ts';

/** The command itself, as it is installed. */
const own = fileURLToPath(new URL('../../bundle/command/bin.js', import.meta.url));

/** Exit codes of a run that left a result. */
const judged: ReadonlySet<number> = new Set([
  exitCodes.conforms,
  exitCodes.violates,
  exitCodes.suiteFailed,
  exitCodes.undecided,
]);

/** Results of `times` runs of the requirements, with the seed of the report. Throws `CommandFailure`. */
export async function runAgain(
  report: ConformanceReport,
  ids: readonly string[],
  times: number,
  command: string = own,
): Promise<readonly ConformanceReport[]> {
  const files = report.targets.flatMap(({ file }) => file ?? []);
  const embedded = files.length === 0;
  if (!embedded && files.length < report.targets.length) {
    throw new CommandFailure(
      'The later result does not tell every target file, so that nothing can be run again. Run it yourself, and name the results after it.',
      exitCodes.usage,
    );
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  try {
    const results: ConformanceReport[] = [];
    for (let time = 1; time <= times; time += 1) {
      process.stderr.write(`Running ${ids.length} again, ${time} of ${times}\n`);
      const out = path.join(folder, String(time));
      const only = ids.flatMap((id) => ['--only', id]);
      const code = await ended(command, [
        'run',
        ...files,
        ...only,
        '--seed',
        String(report.run.seed),
        '--out',
        out,
      ]);
      if (!judged.has(code)) {
        throw new CommandFailure(
          `The repetition ended with exit code ${code}; what it says is above. Mend that, or leave --repeat out.`,
          exitCodes.usage,
        );
      }
      results.push(readReport(path.join(out, 'conformance.json')).report);
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exit code of the command; what it says goes to stderr. */
async function ended(command: string, argv: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [command, ...argv], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(signal === null ? (code ?? 0) : exitCodes.interrupted),
    );
  });
}
