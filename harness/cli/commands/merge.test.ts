import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportFromJson } from '../../../reports/formats/json.ts';
import { command, one, reportOf, ResultFolder, two } from '../result-files.test.support.ts';

let folder: ResultFolder;
beforeEach(() => {
  folder = new ResultFolder();
});
afterEach(() => folder.close());

const shard = (index: number, of = 2) => ({ shard: { index, of } });

async function merge(...files: readonly string[]) {
  const out = folder.file('whole');
  const ran = await command('merge', ...files, '--out', out, '--reporter', 'markdown');
  return { ...ran, out };
}

describe('plumbline merge', () => {
  test('writes one report and exits as the run would have', async () => {
    const files = [
      folder.write('1.json', reportOf({ held: [one] }, shard(1))),
      folder.write('2.json', reportOf({ held: [two] }, shard(2))),
    ];
    const { code, stdout, out } = await merge(...files);
    expect(code).toBe(0);
    expect(stdout).toContain('2 of ');
    const report = reportFromJson(readFileSync(`${out}/conformance.json`, 'utf8'), 'whole');
    expect(report.run).toMatchObject({ shard: null, partial: false });
    expect(report.targets[0]?.summary.stated.passed).toBe(2);
    expect(report.targets[0]?.profiles?.map(({ name }) => name)).toContain('read-only');
    expect(readFileSync(`${out}/report.md`, 'utf8')).toContain('2 of ');
  });

  test('exits 1 when any shard saw a violation', async () => {
    const files = [
      folder.write('1.json', reportOf({ held: [one] }, shard(1))),
      folder.write('2.json', reportOf({ broken: [two] }, shard(2))),
    ];
    expect((await merge(...files)).code).toBe(1);
  });

  test('that misses a shard says which, and never exits 0', async () => {
    const file = folder.write('1.json', reportOf({ held: [one] }, shard(1, 3)));
    const { code, stderr } = await merge(file);
    expect(code).toBe(5);
    expect(stderr).toContain('Missing: shard 2, 3 of 3.');
  });

  test('with --json prints the result alone on stdout', async () => {
    const file = folder.write('1.json', reportOf({ held: [one] }, shard(1, 1)));
    const { stdout, code } = await command('merge', file, '--out', folder.file('o'), '--json');
    expect(code).toBe(0);
    expect(reportFromJson(stdout, 'stdout').run.parts).toHaveLength(1);
  });

  test.for<[string, string, RegExp]>([
    ['no file', '', /there is no such file.*plumbline run writes it/u],
    ['no JSON', 'x', /is not JSON/u],
    ['no report', '{}', /is not a conformance report/u],
  ])('refuses %s', async ([, text, message]) => {
    const file = text === '' ? folder.file('none.json') : folder.write('bad.json', text);
    const { code, stderr } = await merge(file);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('refuses a whole run, and another catalogue than its own', async () => {
    const whole = await merge(folder.write('1.json', reportOf({ held: [one] })));
    expect([whole.code, whole.stderr]).toEqual([2, expect.stringContaining('no shard of a run')]);
    const report = reportOf({ held: [one] }, shard(1, 1));
    const odd = { ...report, tool: { ...report.tool, catalogueDigest: 'ff' } };
    const other = await merge(folder.write('2.json', odd));
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('another catalogue')]);
  });
});
