// Bundles the compiled command, and what Vitest's worker runs: to find a thousand modules would take half a second of
// every run. Plain JavaScript, because it is a part of the build. Run by `npm run build`.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const compiled = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Modules that look for files beside themselves go on finding them: bundles stand in folders of `dist/bundle/`. */
const ownPlaces = {
  name: 'own-places',
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code, id) {
      if (!id.startsWith(compiled)) return undefined;
      const own = ['../..', ...path.relative(compiled, id).split(path.sep)].join('/');
      return code.replaceAll('import.meta.url', `new URL('${own}', import.meta.url).href`);
    },
  },
};

/**
 * Of undici only what sends requests: the rest of it (fetch, WebSocket, caches, mocks) is most of its code, and would be
 * read before the first request of every run.
 */
const lightUndici = {
  name: 'light-undici',
  resolveId: { filter: { id: /^undici$/u }, handler: () => '\0light-undici' },
  load: {
    filter: { id: /light-undici$/u },
    handler: () => `
      import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
      import api from 'undici/lib/api/index.js';
      export { default as Agent } from 'undici/lib/dispatcher/agent.js';
      export { default as Pool } from 'undici/lib/dispatcher/pool.js';
      export { default as errors } from 'undici/lib/core/errors.js';
      Object.assign(Dispatcher.prototype, api);`,
  },
};

/** Names stay, for the stack of an error that nobody expected; spaces and comments are a third of what is read. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/**
 * To find and link a module takes longer than to read it: what several parts of the bundle share is one file. What reads the
 * command line is another one: help needs nothing else.
 */
const codeSplitting = {
  groups: [
    { name: 'line', test: /commander|harness\/cli\/(?:main|exit|version)\.js$/u, priority: 1 },
    { name: 'shared', minShareCount: 4 },
  ],
};

async function bundle(entry, plugins, output) {
  const made = await rolldown({
    input: path.join(compiled, entry),
    platform: 'node',
    external: [/^vitest/u],
    plugins,
    // What one bundle loads lazily the other reads at once.
    checks: { ineffectiveDynamicImport: false },
  });
  await made.write({ cleanDir: true, minify, codeSplitting, ...output });
  await made.close();
}

await bundle('harness/cli/bin.js', [ownPlaces, lightUndici], {
  dir: path.join(compiled, 'bundle', 'command'),
  chunkFileNames: '[name].js',
});
await bundle('suites/run.js', [lightUndici], {
  dir: path.join(compiled, 'bundle', 'suites'),
  chunkFileNames: '[name].js',
});
