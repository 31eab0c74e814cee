import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allureCommand, buildAllure } from './allure.ts';
import { sampleReport } from '../../../reports/sample.test.support.ts';
import { folderOfTest, one, two } from '../result-files.test.support.ts';

const folder = folderOfTest();

/** A stand-in for Allure that writes a page with the number of results that it was given. */
function allure(page: string, code = 0): readonly [string, ...string[]] {
  const stub = folder.write(
    'allure.mjs',
    `import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
     const [generate, results, o, out] = process.argv.slice(2);
     if (generate !== 'generate' || o !== '-o') process.exit(9);
     const count = readdirSync(results).filter((name) => name.endsWith('-result.json')).length;
     mkdirSync(out, { recursive: true });
     writeFileSync(out + '/index.html', count + ${JSON.stringify(page)});
     process.exitCode = ${code};`,
  );
  return [process.execPath, stub];
}

const report = sampleReport({ catalogue: [one, two], outcomes: [{ seen: { [one]: 1 } }] });
const build = async (command: readonly [string, ...string[]]) =>
  buildAllure(folder.write('r.json', report), folder.file('out'), command);

describe('the Allure report', () => {
  test('is made of every requirement, without the counter', async () => {
    const counter = '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>';
    expect(await build(allure(` results${counter}`))).toBe(0);
    const page = readFileSync(folder.file('out/index.html'), 'utf8');
    expect(page).toBe(`${report.requirements.length} results`);
  });

  test('is not left behind when it loads something else', async () => {
    await expect(build(allure('<script src="https://x.example/"></script>'))).rejects.toThrow(
      /no page that can be trusted/u,
    );
    expect(existsSync(folder.file('out/index.html'))).toBe(false);
  });

  test('that fails, or for want of Allure, says what to do', async () => {
    await expect(build(allure('', 7))).rejects.toThrow(
      /Allure ended with 7.*npm install --save-dev allure/u,
    );
    await expect(build([folder.file('none')])).rejects.toThrow(/ENOENT/u);
  });
});

test.for([
  ['installed', 0, false, /npx,--no,--,allure@3\.18\.0$/u],
  ['not installed, and agreed to', 1, true, /npx,--yes,--,allure@3\.18\.0$/u],
  ['not installed, and nobody to ask', 1, false, /nothing was downloaded.*--yes/u],
] as const)('Allure %s', async ([, code, isAgreed, how]) => {
  const npx = folder.write('npx', `#!/bin/sh\nexit ${code}\n`);
  chmodSync(npx, 0o755);
  const found = await allureCommand(isAgreed, npx).catch(String);
  expect(String(found)).toMatch(how);
});
