/** For tests of commands that read results: a folder of result files, and the output of a command. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, vi } from 'vitest';
import { allRequirements, requirementsOf, allProfiles } from '../../schemas/contracts.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import type { FoldInput } from '../../reports/model/fold.ts';
import { reportToJson } from '../../reports/formats/json.ts';
import { sampleFinding, sampleReport } from '../../reports/sample.test.support.ts';
import { main } from './main.ts';

/** Ids of three stated requirements of the catalogue. */
export const [one = '', two = '', three = ''] = requirementsOf('compute')
  .filter(({ strength }) => strength === 'stated')
  .map(({ id }) => id);

/** A report over the real catalogue, with these requirements passed or broken. */
export function reportOf(
  judged: { readonly held?: readonly string[]; readonly broken?: readonly string[] },
  run: Partial<FoldInput['run']> = {},
): ConformanceReport {
  const { held = [], broken = [] } = judged;
  return sampleReport({
    catalogue: allRequirements,
    profiles: allProfiles,
    outcomes: [
      {
        case: [...held, ...broken].join(' '),
        seen: Object.fromEntries(held.map((id) => [id, 1])),
        findings: broken.map((id) => sampleFinding(id)),
      },
    ],
    run,
  });
}

class ResultFolder {
  path = '';

  file(name: string): string {
    return path.join(this.path, name);
  }

  /** Writes a report, or any text, and returns the path. */
  write(name: string, content: ConformanceReport | string): string {
    const file = this.file(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : reportToJson(content));
    return file;
  }
}

/** A temporary folder for each test of the file. */
export function folderOfTest(): ResultFolder {
  const folder = new ResultFolder();
  beforeEach(() => {
    folder.path = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  });
  return folder;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. */
export async function command(...argv: readonly string[]): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    }),
  );
  try {
    return { code: await main(argv), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
