/** How the cost of writing reports grows with the exchanges that a result cites. */

import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ConformanceReport, conformanceReport } from '../../schemas/report.ts';
import { type Benchmark, mebibytes, seconds, whole } from './tables.ts';
import { measured, plumblineBin, serveReference } from './served.ts';

const SIZES = [1_000, 10_000, 100_000] as const;
const FORMS = ['html', 'junit', 'markdown'] as const;
/** What one finding cites; a result has more findings for more exchanges. */
const CITED_TOGETHER = 5;
const LONGEST_MS = 120_000;

export const reportSize: Benchmark = {
  name: 'report-size',
  measure: async ({ scratch, tell }) => {
    const report = await someReport(scratch);
    const rows: string[][] = [];
    for (const size of SIZES) {
      tell(`a report with ${whole(size)} exchanges`);
      const file = path.join(scratch, `result-${size}.json`);
      await writeFile(file, resultWith(report, size));
      const run = await measured({
        command: process.execPath,
        args: [plumblineBin, 'report', file, '--out', scratch].concat(
          FORMS.flatMap((form) => ['--reporter', form]),
        ),
        scratch,
        timeoutMs: LONGEST_MS,
      });
      const ended = run.exitCode === 0;
      rows.push([
        whole(size),
        mebibytes(statSync(file).size),
        ended ? mebibytes(statSync(path.join(scratch, 'report.html')).size) : '–',
        ended ? seconds(run.wallSeconds) : `none: ${whyOf(run.stderr, run.timedOut)}`,
        seconds(run.cpuSeconds),
        mebibytes(run.peakBytes),
      ]);
    }
    return [
      {
        title: 'Exchanges in a report',
        columns: ['exchanges', 'result', 'page', 'wall', 'CPU', 'peak memory'],
        rows,
        notes: [
          `\`plumbline report\` with ${FORMS.join(', ')}, from a result in which findings cite ${CITED_TOGETHER} exchanges each. A run keeps far fewer: those that its first findings cite, and a sample of each requirement.`,
        ],
      },
    ];
  },
};

function whyOf(stderr: string, timedOut: boolean): string {
  return timedOut ? 'out of time' : (stderr.trim().split('\n')[0] ?? '').slice(0, 120);
}

/** The result of a short run, to be made larger. */
async function someReport(scratch: string): Promise<ConformanceReport> {
  const target = path.join(scratch, 'sample.yaml');
  const served = await serveReference('compute', target);
  try {
    await measured({
      command: process.execPath,
      args: [
        plumblineBin,
        'run',
        target,
        '--only',
        'compute.list-instances.size',
        '--out',
        scratch,
      ],
      scratch,
      timeoutMs: LONGEST_MS,
    });
  } finally {
    await served.stop();
  }
  const text = readFileSync(path.join(scratch, 'conformance.json'), 'utf8');
  return conformanceReport.parse(JSON.parse(text));
}

/** The same result with findings that cite as many exchanges as asked, all of one small kind. */
function resultWith(report: ConformanceReport, exchanges: number): string {
  const [requirement] = report.requirements;
  const small = report.exchanges.toSorted((one, other) => lengthOf(one) - lengthOf(other))[0];
  if (requirement === undefined || small === undefined) throw new Error('the result is empty');
  const ids = Array.from({ length: exchanges }, (_, index) => `b${index}`);
  const findings = Array.from({ length: Math.ceil(exchanges / CITED_TOGETHER) }, (_, index) => {
    const cited = ids.slice(index * CITED_TOGETHER, (index + 1) * CITED_TOGETHER);
    return {
      message: `Finding ${index} of a benchmark.`,
      expected: 'something',
      actual: 'something else',
      exchange: cited[0] ?? null,
      exchanges: cited,
      replay: 'plumbline run',
      case: 'a benchmark',
      count: 1,
    };
  });
  const broken = { ...requirement, verdict: 'failed', violations: findings.length, findings };
  return JSON.stringify({
    ...report,
    requirements: [broken, ...report.requirements.slice(1)],
    exchanges: ids.map((id) => ({ ...small, id })),
  });
}

function lengthOf(exchange: ConformanceReport['exchanges'][number]): number {
  return JSON.stringify(exchange).length;
}
