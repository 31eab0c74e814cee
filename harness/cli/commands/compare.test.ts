import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOSTILE } from '../../../reports/hostile.test.support.ts';
import { command, one, reportOf, ResultFolder, three, two } from '../result-files.test.support.ts';

let folder: ResultFolder;
let good: string;
let bad: string;
beforeEach(() => {
  folder = new ResultFolder();
  good = folder.write('good.json', reportOf({ held: [one, two] }));
  bad = folder.write('bad.json', reportOf({ held: [two, three], broken: [one] }));
});
afterEach(() => folder.close());

describe('plumbline compare', () => {
  test('says what broke and why, and exits 1', async () => {
    const { code, stdout } = await command('compare', good, bad);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        `BROKE\n  ${one} at staging: passed before, failed after\n    target: the same address answers differently\n    A page size of 201 was accepted\\.\n    plumbline run staging\\.yaml --only ${one} --seed 42`,
        'u',
      ),
    );
    expect(stdout).toMatch(new RegExp(`APPEARED\n  ${three}`, 'u'));
    expect(stdout).toContain('1 broke, 1 appeared, 1 unchanged.');
  });

  test('exits 0 when nothing broke', async () => {
    const { code, stdout } = await command('compare', bad, good);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 healed, 1 went, 1 unchanged.')]);
  });

  test('with --json prints the comparison alone', async () => {
    const { stdout } = await command('compare', good, bad, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      changes: [
        { kind: 'broke', id: one, cause: 'target' },
        { kind: 'appeared', id: three },
      ],
    });
  });

  test('with --markdown prints a table in which nothing acts', async () => {
    const report = reportOf({ held: [one] });
    const [target] = report.targets;
    if (target === undefined) throw new Error('no target');
    const moved = folder.write('moved.json', {
      ...report,
      targets: [{ ...target, baseUrl: HOSTILE }],
    });
    const { stdout } = await command('compare', good, moved, '--markdown');
    expect(stdout).toContain('## 1 change: 1 went, 1 unchanged');
    expect(stdout).toContain(`| Went | ${two} | staging |`);
    expect(stdout).not.toMatch(/<script|<img|[^\\]`/u);
  });

  test('tells what several later results disagree on', async () => {
    const { code, stdout } = await command('compare', good, good, bad);
    expect(code).toBe(1);
    expect(stdout).toContain('passed before, passed / failed after');
    expect(stdout).toContain('unstable: the later results');
  });

  test.for<[string, () => readonly string[], RegExp]>([
    ['a missing result', () => [good, folder.file('none.json')], /no such file/u],
    ['both forms at once', () => [good, bad, '--json', '--markdown'], /cannot be used with/u],
    ['no repetition', () => [good, bad, '--repeat', '0'], /from 1 to 100/u],
  ])('refuses %s', async ([, argv, message]) => {
    const { code, stderr } = await command('compare', ...argv());
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('refuses later results of different deployments, and results without a common target', async () => {
    const router = reportOf({});
    const [target] = router.targets;
    if (target === undefined) throw new Error('no target');
    const other = folder.write('other.json', {
      ...router,
      targets: [{ ...target, name: 'edge', contract: 'router' }],
      requirements: [],
    });
    const mixed = await command('compare', good, bad, other);
    expect([mixed.code, mixed.stderr]).toEqual([
      2,
      expect.stringContaining('must be of one deployment'),
    ]);
    const apart = await command('compare', good, other);
    expect([apart.code, apart.stderr]).toEqual([2, expect.stringContaining('no target in common')]);
  });
});

describe('plumbline report', () => {
  test('writes the forms beside the result, and leaves the result as it is', async () => {
    const before = readFileSync(good);
    const { code, stdout } = await command(
      'report',
      good,
      '--reporter',
      'junit',
      '--reporter',
      'badge',
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`${folder.file('junit.xml')}\n${folder.file('badge-staging.svg')}\n`);
    expect(readFileSync(folder.file('junit.xml'), 'utf8')).toContain('<testsuites');
    expect(readFileSync(good)).toEqual(before);
  });

  test('writes into another folder', async () => {
    await command('report', good, '--reporter', 'html', '--out', folder.file('page'));
    expect(readFileSync(folder.file('page/report.html'), 'utf8')).toContain('<!doctype html>');
  });

  test.for<[string, readonly string[], RegExp]>([
    ['no form', [], /--reporter/u],
    ['an unknown form', ['--reporter', 'pdf'], /Allowed/u],
  ])('refuses %s', async ([, argv, message]) => {
    const { code, stderr } = await command('report', good, ...argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
