import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { folderOfTest, one, reportOf, two } from '../result-files.test.support.ts';
import { rerun } from './compare.ts';

const folder = folderOfTest();

/** A command that notes its arguments, leaves a result and ends with a code. */
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
