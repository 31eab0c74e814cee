/** The run as Markdown, for a pull request or a job summary. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../../schemas/report.ts';
import { deviationLines, missingGroups, withMissingShards } from '../model/conclusions.ts';
import { brokenCount, type Cause, causesOf, isStated, doubtsOf } from '../model/causes.ts';
import { afterText, countLines, verdictSentence } from '../model/wording.ts';
import { evidenceRows, keysText } from './exchange-text.ts';
import { duration, firstOf, plural, sum, visibleLine, visibleText } from '../model/text.ts';
import { ofSuite, troubleOf } from '../model/lost.ts';

/** Code hosts cut summaries after some tens of kilobytes. */
const SHOWN_BROKEN = 40;
const SHOWN_CAUSES = 20;
const SHOWN_TEXT = 300;

export function reportToMarkdown(whole: ConformanceReport): string {
  const report = withMissingShards(whole);
  const { run, tool } = report;
  const troubles = ofSuite(report);
  const lines = [
    ...report.targets.flatMap((target) => targetLines(report, target)),
    ...chapter(
      `${plural(troubles.length, 'suite error')}, which ${troubles.length === 1 ? 'says' : 'say'} nothing about the target:`,
      troubles
        .slice(0, SHOWN_BROKEN)
        .map(({ case: name, message }) => `${plainMarkdown(name)}: ${plainMarkdown(message)}`),
    ),
    `${plainMarkdown(tool.name)} ${plainMarkdown(tool.version)}, ${plural(run.requests, 'request')}, ${duration(run.durationMs)}, seed ${run.seed}.`,
  ];
  return `${lines.join('\n')}\n`;
}

function targetLines(report: ConformanceReport, target: TargetResult): readonly string[] {
  const trouble = troubleOf(report, target);
  return [
    `## ${plainMarkdown(verdictSentence(report, target))}`,
    '',
    ...(trouble === undefined ? [] : [`- ${plainMarkdown(trouble)}`]),
    ...countLines(report, target).map((line) => `- ${plainMarkdown(line)}`),
    '',
    ...broken(report, target),
    ...chapter(
      '### Inconclusive',
      doubtsOf(report, target.name).map(
        ({ reason, results, after }) =>
          `${plainMarkdown(`${reason}${afterText(after)}`)}: ${namesOf(results)}`,
      ),
    ),
    ...chapter(
      '### Known deviations',
      deviationLines(report, target.name).map(
        ({ result, text }) => `${plainMarkdown(result.id)}: ${plainMarkdown(text)}`,
      ),
    ),
    ...missingLines(report, target),
  ];
}

function broken(report: ConformanceReport, target: TargetResult): readonly string[] {
  const causes = causesOf(report, target.name);
  if (causes.length === 0) return [];
  const rest = causes.slice(SHOWN_CAUSES).map(({ root }) => root);
  const keys = keysText(report, target.name);
  return [
    `### Broken: ${plural(brokenCount(causes), 'requirement')}, ${plural(causes.length, 'cause')}`,
    '',
    ...causes.slice(0, SHOWN_CAUSES).flatMap((cause) => oneCause(report, cause)),
    ...(rest.length > 0 ? [`and ${rest.length} more: ${namesOf(rest)}`, ''] : []),
    ...(keys === undefined ? [] : [plainMarkdown(keys), '']),
  ];
}

function oneCause(report: ConformanceReport, cause: Cause): readonly string[] {
  const { root, others } = cause;
  const rows = evidenceRows(report, root);
  const commands = rows.filter(({ label }) => label === 'Curl' || label === 'Again');
  return [
    `#### ${plainMarkdown(root.id)}${isStated(cause) ? '' : ' (warning)'}`,
    '',
    ...rows
      .filter((row) => !commands.includes(row))
      .map(({ label, text }) => `- ${label}: ${plainMarkdown(text)}`),
    ...(others.length === 0
      ? []
      : [`- With it, most likely for the same cause: ${namesOf(others)}`]),
    '',
    ...fenced(commands.map(({ text }) => text)),
  ];
}

function namesOf(results: readonly Pick<RequirementResult, 'id'>[]): string {
  const ids = results.map(({ id }) => plainMarkdown(id));
  return firstOf(ids, SHOWN_BROKEN);
}

/** A list with a title, or nothing without items. */
function chapter(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [title, '', ...items.map((item) => `- ${item}`), ''];
}

function missingLines(report: ConformanceReport, target: TargetResult): readonly string[] {
  const groups = missingGroups(report, target.name);
  if (groups.length === 0) return [];
  const { stated, implied, open } = target.summary;
  const count = sum([stated, implied, open], ({ notExercised }) => notExercised);
  return [
    '<details><summary>',
    `${plural(count, 'requirement')} not exercised`,
    '</summary>',
    '',
    ...groups.flatMap(({ line, reasons, requirements }) => {
      const text = `${plural(requirements.length, 'requirement')}: ${plainMarkdown(reasons[0] ?? '')} (${namesOf(requirements.map((id) => ({ id })))})`;
      return line === undefined ? [text, ''] : [text, '', ...fenced(line.split('\n'))];
    }),
    '</details>',
    '',
  ];
}

/** A code block with a fence longer than any run of backticks in it. */
function fenced(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const text = visibleText(lines.join('\n'));
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [fence, text, fence, ''];
}

/** Untrusted text on one line, escaped so that no Markdown reader finds markup, a link, a mention or a table in it. */
export function plainMarkdown(text: string): string {
  return visibleLine(text, SHOWN_TEXT).replaceAll(
    /[\\`*_{}[\]()#+!|~$]|[&<>@]|:(?=\/\/)|(?<=www)\./giu,
    (sign) => (/[&<>@:.]/u.test(sign) ? `&#${sign.charCodeAt(0)};` : `\\${sign}`),
  );
}
