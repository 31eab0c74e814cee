#!/usr/bin/env node
/** The command. Any Node can parse this file, so that an old one prints a plain message. */

const oldest = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < (oldest[0] ?? 0) || (major === oldest[0] && minor < (oldest[1] ?? 0))) {
  process.stderr.write(
    `plumbline needs Node ${oldest.join('.')} or later, and this is Node ${process.versions.node}. Install a newer Node and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // The reader may close the pipe early, as `head` does. The run goes on and its exit code stays valid.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const { main } = await import('./main.ts');
  const code = await main(process.argv.slice(2));
  // Work that is still winding down must not change the exit code.
  process.once('exit', () => (process.exitCode = code));
}
