/** A replay with seed and counterexample shows a violation again, and passes once the violation is fixed. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { startBroken } from './broken.ts';
import { folderWith, plumbline } from './command.ts';

const ID = 'compute.list-instances.size-above-maximum';

const broken = await startBroken('list-instances-size-above-maximum-is-clamped');
const mended = await startCompute();
afterAll(async () => {
  await broken.close();
  await mended.close();
});

test('the counterexample is tried alone, against the same target and a mended one', async () => {
  const folder = folderWith({
    'broken.yaml': JSON.stringify(broken.target()),
    'mended.yaml': JSON.stringify(mended.target()),
  });
  const first = await plumbline(['run', 'broken.yaml', '--only', ID, '--seed', '5'], folder);
  expect(first.code, first.stderr).toBe(1);
  const found = first.report().requirements.find(({ id }) => id === ID)?.findings;
  const counterexample = found?.find((one) => one.counterexample)?.counterexample;
  expect(counterexample?.property).toBeTypeOf('string');

  const result = 'conformance-report/conformance.json';
  const again = await plumbline(['replay', result, ID, '--json'], folder);
  expect(again.code, again.stderr).toBe(1);
  expect(again.stderr).toContain(`"${counterexample?.property}"`);
  const replayed = JSON.parse(again.stdout);
  expect(replayed.requirements[0].findings).toEqual(
    expect.arrayContaining([expect.objectContaining({ counterexample })]),
  );
  const tried = replayed.properties.find(
    ({ name }: { name: string }) => name === counterexample?.property,
  );
  expect(tried.runs).toBe(1);

  const from = folderWith({ 'nothing.txt': '' });
  const away = await plumbline(['replay', path.join(folder, result), ID], from);
  expect(away.code, away.stderr).toBe(2);
  const named = / --target (\S+broken\.yaml)/u.exec(away.stderr)?.[1] ?? '';
  const trusted = ['replay', path.join(folder, result), ID, '--target', named];
  expect((await plumbline(trusted, from)).code).toBe(1);

  const alone = folderWith({ 'lone.json': readFileSync(path.join(folder, result), 'utf8') });
  const lone = await plumbline(['replay', 'lone.json', ID], alone);
  expect(lone).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/names its target file broken\.yaml.* --target FILE/u),
  });

  const elsewhere = await plumbline(['replay', result, ID, '--target', 'mended.yaml'], folder);
  expect(elsewhere.code, elsewhere.stderr).toBe(0);
}, 120_000);
