/** `npm run trace`: prints the trace, and fails when a link is missing. `-- --quiet` prints only what is wrong. */

import { loadSections } from './files.ts';
import { trace, traceText } from './trace.ts';

const traced = trace(await loadSections());
if (process.argv.includes('--quiet')) {
  for (const problem of traced.problems) process.stderr.write(`${problem}\n`);
} else {
  process.stdout.write(traceText(traced));
}
process.exitCode = traced.problems.length === 0 ? 0 : 1;
