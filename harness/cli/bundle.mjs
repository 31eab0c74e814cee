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

async function bundle(entry, plugins, output) {
  const made = await rolldown({
    input: path.join(compiled, entry),
    platform: 'node',
    external: [/^vitest/u],
    plugins,
  });
  await made.write({ cleanDir: true, ...output });
  await made.close();
}

await bundle('harness/cli/bin.js', [ownPlaces], {
  dir: path.join(compiled, 'bundle', 'command'),
  chunkFileNames: '[name].js',
});
await bundle('suites/run.js', [], {
  dir: path.join(compiled, 'bundle', 'suites'),
  chunkFileNames: '[name].js',
});
