import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command, one, reportOf, ResultFolder } from '../result-files.test.support.ts';

let folder: ResultFolder;
beforeEach(() => {
  folder = new ResultFolder();
});
afterEach(() => folder.close());

describe('plumbline trend', () => {
  test('draws every result below the folder, and names what is none', async () => {
    folder.write('nights/1/conformance.json', reportOf({ held: [one] }, { id: 'a' }));
    folder.write('nights/2/conformance.json', reportOf({ broken: [one] }, { id: 'b' }));
    folder.write('nights/3.json', reportOf({ held: [one] }, { id: 'c' }));
    folder.write('nights/notes.json', '{}');
    for (const beside of ['nights/1/ctrf.json', 'nights/ctrf.json', 'nights/attestation.json']) {
      folder.write(beside, '{}');
    }
    const out = folder.file('trend.html');
    const { code, stdout, stderr } = await command('trend', folder.file('nights'), '--out', out);
    expect([code, stdout]).toEqual([0, `${out}: 1 target(s), 3 run(s)\n`]);
    expect(stderr).toMatch(/^Left out: .*notes\.json is not a conformance report/u);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(out, 'utf8')).toContain('in the last of 3 runs.');
  });

  test.for<[string, string, RegExp]>([
    ['a folder that is not there', 'none', /there is no such folder/u],
    ['a folder without results', '.', /holds no result\. Name a folder/u],
  ])('refuses %s', async ([, name, message]) => {
    const { code, stderr } = await command('trend', folder.file(name));
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
