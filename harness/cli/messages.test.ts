/** The short messages of the command. */

import { expect, test } from 'vitest';
import { command, folderOfTest } from './result-files.test.support.ts';

const folder = folderOfTest();

const ID = 'router.endpoints.models-list-data';
const recorded = JSON.stringify({
  request: { method: 'GET', url: 'https://staging.example/v1/models' },
  response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
});

/** Audits with one declared deviation of this target, and returns what was printed on stderr. */
async function audited(target: string): Promise<string> {
  const har = folder.write('a.ndjson', recorded);
  const entry = `- { requirement: ${ID}, reason: known, expires: 2999-12-31, target: ${target} }\n`;
  const file = folder.write('known.yaml', entry);
  const out = folder.file('report');
  return (await command('audit', har, '--deviations', file, '--out', out)).stderr;
}

test('a deviation of no target of the run is told, with what was meant where that is near', async () => {
  expect(await audited('stagin.example')).toMatch(
    /known\.yaml: .*models-list-data is for the target stagin\.example, .*Did you mean staging\.example\?/u,
  );
  expect(await audited('production')).toContain('This run judges staging.example.');
  expect(await audited('staging.example')).not.toContain('known.yaml');
});

test('the help of observe shows addresses as they are written', async () => {
  const { stdout } = await command('observe', '--help');
  expect(stdout).toContain('127.0.0.1:8080');
  expect(stdout).not.toContain('{"host"');
});

test('a target that is called by its host is named once', async () => {
  const keys = 'contract: compute\nbaseUrl: http://127.0.0.1:1/v1\nkeys: { primary: a-key }\n';
  const out = folder.file('report');
  const told = async (name: string) =>
    (await command('run', folder.write('t.yaml', `name: ${name}\n${keys}`), '--out', out)).stderr;
  expect(await told('127.0.0.1:1')).toMatch(/^127\.0\.0\.1:1 could not be reached/u);
  expect(await told('staging')).toMatch(/^staging: 127\.0\.0\.1:1 could not be reached/u);
});
