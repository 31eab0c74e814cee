/** `plumbline replay`: runs one broken requirement of a result again. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, type Ends, refuse } from '../exit.ts';
import { type ReportOptions, reportOptions, type RunOptions } from './options.ts';
import { causesOf } from '../../../reports/model/causes.ts';
import { shellWord } from '../../../reports/model/text.ts';
import type { ConformanceReport, RequirementResult } from '../../../schemas/report.ts';
import { meant } from '../../target/known-keys.ts';
import { isShownByAny } from '../selection.ts';
import { readReport } from '../files.ts';
import { run } from './run.ts';

/** Adds the options and the action of `plumbline replay`. */
export function register(command: Command, ends: Ends): void {
  const own = command
    .argument('<RESULT>', 'conformance.json of a run')
    .argument('[ID]', 'the requirement; without it, those that are broken are listed')
    .option('--target <FILE>', 'another deployment; the one of the result unless told');
  reportOptions(own, 'conformance-replay', 'depth', 'header')
    .addHelpText(
      'after',
      '\nIt exits as a run does: 1 when the requirement is still broken, 0 when it holds now.\n\nExample:\n  plumbline replay conformance-report/conformance.json compute.pagination.walk-ends --target fixed.yaml',
    )
    .action(ends(replay));
}

interface ReplayOptions extends ReportOptions, Pick<RunOptions, 'depth' | 'header'> {
  readonly target?: string;
}

/** The requirements of a result that can be replayed, grouped by likely cause. */
function choices(report: ConformanceReport, file: string): string {
  const causes = report.targets.flatMap(({ name }) => causesOf(report, name));
  if (causes.length === 0)
    return `${file} says that nothing is broken: there is nothing to replay.`;
  const ids = causes.flatMap(({ root, others }) => [root.id, ...others.map(({ id }) => `  ${id}`)]);
  return `Which one? Broken in ${file}, what most likely has one cause together:\n  ${[...new Set(ids)].join('\n  ')}`;
}

/** Throws `CommandFailure` if the requirement was not broken in the result. */
async function replay(
  file: string,
  asked: string | undefined,
  { target, ...options }: ReplayOptions,
): Promise<ExitCode> {
  const { report } = readReport(file);
  const id = asked ?? refuse(choices(report, file));
  const broken = brokenIn(report, id, file);
  const files =
    target === undefined
      ? filesOf(report, broken).map((each) => located(each, file, id))
      : [target];
  const finding =
    broken.flatMap(({ findings }) => findings).find((one) => one.counterexample?.property) ??
    broken[0]?.findings[0];
  const { property, path: at = '', value = '' } = finding?.counterexample ?? {};
  const shown =
    property === undefined
      ? ''
      : ` and the counterexample of "${property}": ${value.slice(0, 200)}`;
  process.stderr.write(`Again: ${id}, with seed ${report.run.seed}${shown}\n`);
  return run(files, {
    ...options,
    only: [id],
    ...(isShownByAny(id) && finding !== undefined ? { case: [finding.case] } : {}),
    seed: report.run.seed,
    ...(property === undefined ? {} : { replay: { property, path: at } }),
  });
}

/** The results of the requirement at each target where it was broken. */
function brokenIn(
  { requirements, targets }: ConformanceReport,
  id: string,
  file: string,
): readonly RequirementResult[] {
  const results = requirements.filter((one) => one.id === id);
  const broken = results.filter(({ findings }) => findings.length > 0);
  if (broken.length > 0) return broken;
  if (results.length > 0) {
    const verdicts = [...new Set(results.map(({ verdict }) => verdict))].join(', ');
    return refuse(`${file} says that ${id} was ${verdicts}: there is nothing broken to replay.`);
  }
  const seenAt = targets.find((one) => one.brokenBeyondSelection.some((seen) => seen.id === id));
  if (seenAt !== undefined) {
    const again = shellWord(seenAt.file ?? 'TARGET.yaml');
    return refuse(
      `${file} says that ${id} is broken, and holds no more of it, since the run was not asked for it: plumbline run ${again} --only ${id}`,
    );
  }
  const brokenIds = requirements.flatMap((one) => (one.findings.length > 0 ? [one.id] : []));
  const others =
    brokenIds.length === 0
      ? 'Nothing in it is broken.'
      : `Broken in it: ${brokenIds.slice(0, 10).join(', ')}.`;
  return refuse(`${file} says nothing of ${id}. ${meant(id, brokenIds, others)}`);
}

/** Target files of these results. Empty for the built-in reference deployments. */
function filesOf(
  { targets }: ConformanceReport,
  broken: readonly RequirementResult[],
): readonly string[] {
  const names = new Set(broken.map(({ target }) => target));
  return targets.flatMap(({ name, file }) => (names.has(name) && file !== undefined ? [file] : []));
}

/** Finds the target file of a result. It may read keys and run commands, so the user has to name one found elsewhere. */
function located(file: string, result: string, id: string): string {
  if (existsSync(file)) return file;
  const rerunOf = (target: string) =>
    `plumbline replay ${shellWord(result)} ${id} --target ${target}`;
  const from = path.isAbsolute(file) ? '' : ', seen from the folder of its run';
  const found = foldersAbove(result)
    .map((folder) => path.resolve(folder, file))
    .find((each) => existsSync(each));
  return refuse(
    found === undefined
      ? `${result} names its target file ${file}${from}, and there is none here or above the result. Say where it is: ${rerunOf('FILE')}`
      : `${result} names its target file ${file}${from}, and it is not seen from here. If you trust the one above the result: ${rerunOf(shellWord(path.relative(process.cwd(), found)))}`,
  );
}

function foldersAbove(file: string): readonly string[] {
  const folder = path.dirname(path.resolve(file));
  return folder === path.dirname(folder) ? [folder] : [folder, ...foldersAbove(folder)];
}
