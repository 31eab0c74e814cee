import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOSTILE } from '../../../reports/hostile.test.support.ts';
import { reportFromJson } from '../../../reports/formats/json.ts';
import { rerun } from './compare.ts';
import { command, folderOfTest, one, reportOf, three, two } from '../result-files.test.support.ts';

const folder = folderOfTest();
let good: string;
let bad: string;
beforeEach(() => {
  good = folder.write('good.json', reportOf({ held: [one, two] }));
  bad = folder.write('bad.json', reportOf({ held: [two, three], broken: [one] }));
});

const shard = (index: number, of = 2) => ({ shard: { index, of } });

/** A result of one target with some members changed. */
function changed(change: object, report = reportOf({ held: [one] })): string {
  const targets = report.targets.map((target) => ({ ...target, ...change }));
  return folder.write('changed.json', { ...report, targets });
}

/** The result of a shard from another version of plumbline. */
function ofOthers(): string {
  const report = reportOf({ held: [one] }, shard(1, 1));
  return folder.write('2.json', { ...report, tool: { ...report.tool, catalogueDigest: 'ff' } });
}

describe('it is refused to', () => {
  test.for<[what: string, argv: () => readonly string[], says: RegExp]>([
    [
      'compare a missing result',
      () => ['compare', good, folder.file('none.json')],
      /there is no such file.*plumbline run writes it/u,
    ],
    ['compare in both forms', () => ['compare', good, bad, '--json', '--markdown'], /used with/u],
    ['repeat nothing', () => ['compare', good, bad, '--repeat', '0'], /from 1 to 100/u],
    [
      'compare with several deployments',
      () => ['compare', good, bad, changed({ name: 'edge' })],
      /must be of one deployment/u,
    ],
    [
      'compare two contracts',
      () => ['compare', good, changed({ contract: 'router' }, reportOf({}))],
      /no target in common/u,
    ],
    ['replay what held', () => ['replay', good, one], /was passed: there is nothing broken/u],
    [
      'replay what is in no result',
      () => ['replay', bad, 'compute.none'],
      /says nothing of compute\.none/u,
    ],
    [
      'replay what the run was not asked for',
      () => [
        'replay',
        changed({ brokenBeyondSelection: [{ id: 'compute.none', violations: 1 }] }),
        'compute.none',
      ],
      /is broken, and holds no more of it.*--only compute\.none/u,
    ],
    ['replay a missing result', () => ['replay', folder.file('none.json'), one], /no such file/u],
    ['replay nothing', () => ['replay', good], /nothing is broken: there is nothing to replay/u],
    ['replay no one thing', () => ['replay', bad], new RegExp(`Which one\\?[^]*\n  ${one}`, 'u')],
    ['report in no form', () => ['report', good], /--reporter/u],
    ['report in an unknown form', () => ['report', good, '--reporter', 'pdf'], /Allowed/u],
    ['merge no JSON', () => ['merge', folder.write('x.json', 'x')], /is not JSON/u],
    ['merge no report', () => ['merge', folder.write('x.json', '{}')], /not a conformance report/u],
    ['merge a whole run', () => ['merge', good], /no shard of a run/u],
    ['merge with another catalogue', () => ['merge', ofOthers()], /another catalogue/u],
    ['draw a missing folder', () => ['trend', folder.file('none')], /there is no such folder/u],
    [
      'draw a folder without results',
      () => ['trend', path.dirname(folder.write('empty/a.txt', ''))],
      /holds no result\. Name a folder/u,
    ],
  ])('%s', async ([, argv, says]) => {
    const { code, stderr } = await command(...argv());
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  });
});

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
    const moved = changed({ baseUrl: HOSTILE });
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
});

/** A stand-in for the command: it records its arguments, leaves a result and exits with a code. */
function stub(code: number): string {
  const result = folder.write('result.json', reportOf({ held: [one] }));
  return folder.write(
    'stub.mjs',
    `import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
     const argv = process.argv.slice(2);
     appendFileSync(${JSON.stringify(folder.file('asked'))}, argv.slice(0, -1).join(' ') + '\\n');
     mkdirSync(argv.at(-1), { recursive: true });
     copyFileSync(${JSON.stringify(result)}, argv.at(-1) + '/conformance.json');
     process.exitCode = ${code};`,
  );
}

describe('a repetition', () => {
  test('runs the requirements again with the seed and the target files', async () => {
    const results = await rerun(reportOf({ broken: [one] }), [one, two], 2, stub(1));
    expect(results.map(({ targets }) => targets[0]?.summary.stated.passed)).toEqual([1, 1]);
    const asked = `run staging.yaml --only ${one} --only ${two} --seed 42 --out\n`;
    expect(readFileSync(folder.file('asked'), 'utf8')).toBe(asked.repeat(2));
  });

  test('that could not reach the target ends the comparison', async () => {
    await expect(rerun(reportOf({}), [one], 1, stub(3))).rejects.toThrow(/exit code 3/u);
  });

  test('needs every target file', async () => {
    const report = reportOf({});
    const [target] = report.targets;
    if (target === undefined) throw new Error('no target');
    const { file: _file, ...unnamed } = target;
    const half = { ...report, targets: [target, { ...unnamed, name: 'other' }] };
    await expect(rerun(half, [one], 1, stub(0))).rejects.toThrow(/every target file/u);
  });
});

describe('plumbline report', () => {
  test('writes the forms beside the result, and leaves the result as it is', async () => {
    const before = readFileSync(good);
    const forms = ['--reporter', 'junit', '--reporter', 'badge'];
    const { code, stdout } = await command('report', good, ...forms);
    expect(code).toBe(0);
    expect(stdout).toBe(`${folder.file('junit.xml')}\n${folder.file('badge-staging.svg')}\n`);
    expect(readFileSync(folder.file('junit.xml'), 'utf8')).toContain('<testsuites');
    expect(readFileSync(good)).toEqual(before);
  });

  test('writes into another folder', async () => {
    await command('report', good, '--reporter', 'html', '--out', folder.file('page'));
    expect(readFileSync(folder.file('page/report.html'), 'utf8')).toContain('<!doctype html>');
  });
});

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
});

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
    expect([code, stdout]).toEqual([0, `${out}: 1 target, 3 runs\n`]);
    expect(stderr).toMatch(/^Left out: .*notes\.json is not a conformance report/u);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(out, 'utf8')).toContain('in the last of 3 runs.');
  });
});
