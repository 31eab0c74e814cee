#!/usr/bin/env node
/** The command. This file stays readable by any Node, so that an old one gets a plain message. */

const oldest = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < (oldest[0] ?? 0) || (major === oldest[0] && minor < (oldest[1] ?? 0))) {
  process.stderr.write(
    `plumbline needs Node ${oldest.join('.')} or later, and this is Node ${process.versions.node}. Install a newer Node and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // The reader of the output may have had enough, as `head` has: the run goes on, and its exit code stays true.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const { main } = await import('./main.ts');
  const code = await main(process.argv.slice(2));
  // What still winds down has no say in it.
  process.once('exit', () => (process.exitCode = code));
}
