// Bundles the compiled command, and what Vitest's worker runs: to find a thousand modules would take half a second of
// every run. Plain JavaScript, because it is a part of the build. Run by `npm run build`.
import { readdirSync } from 'node:fs';
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

/** `suites/all.js` reads its folders as it runs; here its imports are written out. */
const sections = {
  name: 'sections',
  transform: {
    filter: { id: /[\\/]suites[\\/]all\.js$/u },
    handler(code, id) {
      const [reader] = /async function sectionsIn[^]*?\n\}\n/u.exec(code) ?? [];
      if (reader === undefined) throw new Error(`${id} has no function sectionsIn any more`);
      const folders = readdirSync(path.join(compiled, 'suites'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
      const files = folders.flatMap((folder) =>
        readdirSync(path.join(compiled, 'suites', folder))
          .filter((file) => file.endsWith('.js'))
          .toSorted()
          .map((file) => ({ folder, file })),
      );
      const imports = files.map(
        ({ folder, file }, at) => `import * as module${at} from './${folder}/${file}';`,
      );
      const modules = files.map(({ folder }, at) => `{ folder: '${folder}', module: module${at} }`);
      const written = `${imports.join('\n')}
const imported = [${modules.join(', ')}];
async function sectionsIn(contract) {
  return imported.flatMap(({ folder, module }) => (folder === contract ? (module.default ?? []) : []));
}
`;
      return code.replace(reader, written);
    },
  },
};

async function bundle(entry, plugin, output) {
  const made = await rolldown({
    input: path.join(compiled, entry),
    platform: 'node',
    external: [/^vitest/u],
    plugins: [plugin],
  });
  await made.write({ cleanDir: true, ...output });
  await made.close();
}

await bundle('harness/cli/bin.js', ownPlaces, {
  dir: path.join(compiled, 'bundle', 'command'),
  chunkFileNames: '[name].js',
});
await bundle('suites/run.js', sections, {
  dir: path.join(compiled, 'bundle', 'suites'),
  chunkFileNames: '[name].js',
});
