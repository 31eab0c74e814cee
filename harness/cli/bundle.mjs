// Bundles the compiled command and the code of Vitest's worker, since loading a thousand modules would take half a
// second in every run. Plain JavaScript, because it is part of the build. Run by `npm run build`.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const compiled = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Bundles lie in subfolders of `dist/bundle/`, so `import.meta.url` is replaced with the URL of the original module. */
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

/** Keeps only the request code of undici, so that runs need not load the rest (fetch, WebSocket, caches, mocks). */
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
      export { default as buildConnector } from 'undici/lib/core/connect.js';
      export { default as errors } from 'undici/lib/core/errors.js';
      Object.assign(Dispatcher.prototype, api);`,
  },
};

/** Keeps names, for readable stack traces. Whitespace and comments are a third of the code. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Shared modules become one file, since finding a module takes longer than parsing it. Help needs only `line`. */
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
    // One bundle may import statically what the other imports dynamically.
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
