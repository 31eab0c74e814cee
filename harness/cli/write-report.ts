/** Writes a report in its formats, each file whole or not at all, and prints it. */

import { messageOf } from '../exchange/exchange.ts';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeWhole, SIGNATURE } from './files.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { badge } from '../../reports/formats/badge.ts';
import { reportToCtrf } from '../../reports/formats/ctrf.ts';
import { reportToHar } from '../../reports/formats/har.ts';
import { reportPage } from '../../reports/html/page.ts';
import { reportToJson } from '../../reports/formats/json.ts';
import { reportToJunit } from '../../reports/formats/junit.ts';
import { reportToMarkdown } from '../../reports/formats/markdown.ts';
import { CommandFailure, exitCodes, onStdout } from './exit.ts';
import type { ReportOptions, reporterNames } from './commands/options.ts';
import { brokenWhenStrict } from '../../reports/model/conclusions.ts';
import { present } from '../../reports/model/text.ts';
import { terminalSummary } from '../../reports/formats/terminal.ts';

const RESULT = 'conformance.json';

const forms = {
  html: { file: 'report.html', write: reportPage },
  markdown: { file: 'report.md', write: reportToMarkdown },
  junit: { file: 'junit.xml', write: reportToJunit },
  ctrf: { file: 'ctrf.json', write: reportToCtrf },
  har: { file: 'exchanges.har', write: reportToHar },
} satisfies Record<Exclude<(typeof reporterNames)[number], 'badge' | 'allure'>, object>;

/** Returns the path of the page, if requested. Throws `CommandFailure` if the folder is not writable. */
async function writeReport(
  report: ConformanceReport,
  options: Pick<ReportOptions, 'out' | 'reporter'>,
): Promise<string | undefined> {
  const earlier = path.join(options.out, RESULT);
  if (report.run.partial && report.run.requests === 0 && existsSync(earlier)) {
    process.stderr.write(`Nothing was asked yet: ${earlier} stays the result of an earlier run.\n`);
    return undefined;
  }
  intoFolder(options.out, () => {
    // Files of an earlier run could be taken for those of this one.
    for (const name of readdirSync(options.out)) {
      if (isOfRun(name)) rmSync(path.join(options.out, name), { recursive: true, force: true });
    }
    writeWhole(path.join(options.out, RESULT), reportToJson(report));
  });
  const written = await writeForms(report, options);
  return written.find((file) => file.endsWith(forms.html.file));
}

/** Writes the additional formats and returns their paths. Throws `CommandFailure`. */
export async function writeForms(
  report: ConformanceReport,
  options: Pick<ReportOptions, 'out' | 'reporter'>,
): Promise<readonly string[]> {
  const written: string[] = [];
  const write = (name: string, text: string): void => {
    const file = path.join(options.out, name);
    writeWhole(file, text);
    written.push(file);
  };
  intoFolder(options.out, () => {
    for (const [name, form] of Object.entries(forms)) {
      if (options.reporter.includes(name)) write(form.file, form.write(report));
    }
    if (options.reporter.includes('badge')) {
      for (const target of report.targets) {
        write(`badge-${fileName(target.name)}.svg`, badge(report, target));
      }
    }
  });
  if (options.reporter.includes('allure')) {
    const folder = path.join(options.out, ALLURE_FOLDER);
    const { writeAllureResults } = await import('../../reports/formats/allure-results.ts');
    intoFolder(options.out, () => {
      // Allure reads every file in the folder, so results of an earlier run must go.
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeAllureResults(report, folder);
    });
    written.push(folder);
  }
  return written;
}

/** True for files that a run writes beside `conformance.json`, and for the signature of an earlier result. */
function isOfRun(name: string): boolean {
  const named = [SIGNATURE, ALLURE_FOLDER, ...Object.values(forms).map(({ file }) => file)];
  return named.includes(name) || /^badge-.*\.svg$/u.test(name);
}

const ALLURE_FOLDER = 'allure-results';

function intoFolder(folder: string, write: () => void): void {
  try {
    mkdirSync(folder, { recursive: true });
    write();
  } catch (error) {
    throw new CommandFailure(
      `The report could not be written to ${folder}: ${messageOf(error)}. Name another folder with --out.`,
      exitCodes.suiteFailed,
    );
  }
}

function fileName(name: string): string {
  return name.replaceAll(/[^\w.-]+/gu, '-');
}

/** Writes the report and prints it, even if writing failed. Throws `CommandFailure` then. `json` prints to stdout. */
export async function printReport(
  report: ConformanceReport,
  options: ReportOptions,
): Promise<void> {
  let page: string | undefined;
  let unwritten: unknown;
  try {
    page = await writeReport(report, options);
  } catch (error) {
    unwritten = error;
  }
  if (options.json) process.stdout.write(reportToJson(report));
  const summary = terminalSummary(report, { ...onStdout(), ...present({ page }) });
  const strictly = options.strict ? brokenWhenStrict(report) : undefined;
  const end = strictly === undefined ? '' : `\n${strictly}\n`;
  (options.json ? process.stderr : process.stdout).write(`${summary}\n${end}`);
  if (process.env['GITHUB_ACTIONS'] === 'true') await reportToGithub(report);
  if (unwritten !== undefined) throw unwritten;
}

/** Writes annotations and the step summary for GitHub. A failure here does not change the verdict. */
async function reportToGithub(report: ConformanceReport): Promise<void> {
  const { githubAnnotations, githubSummary } = await import('../../reports/formats/github.ts');
  process.stderr.write(githubAnnotations(report));
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  try {
    appendFileSync(file, githubSummary(report));
  } catch (error) {
    process.stderr.write(`The summary of the step could not be written: ${messageOf(error)}\n`);
  }
}
