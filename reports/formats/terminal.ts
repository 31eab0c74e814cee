/** The summary at the end of a run: first what is broken, then what was not judged, then the counts. */

import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import {
  conclude,
  type Conclusion,
  deviationLines,
  type MissingGroup,
  missingGroups,
  missingLines,
  withMissingShards,
} from '../model/conclusions.ts';
import { type EvidenceRow, evidenceRows, keysText } from './exchange-text.ts';
import { NAMED, TerminalStyle, type Tone } from './terminal-style.ts';
import { type Cause, causesOf, isStated, doubtsOf } from '../model/causes.ts';
import { afterText, countLines, verdictSentence } from '../model/wording.ts';
import { duration, firstOf, plural, sum, visibleLine } from '../model/text.ts';
import { ofSuite, troubleOf } from '../model/lost.ts';

export interface TerminalOptions {
  readonly colour: boolean;
  /** Columns of the terminal (default 100). */
  readonly width?: number;
  /** Path of the report page, for the last line. */
  readonly page?: string;
}

/** Maximum causes shown in full; of the others only the ids. The first violation must not scroll out of sight. */
const TOLD_IN_FULL = 20;
/** Maximum characters of a server's text. */
const SHOWN_TEXT = 600;
/** Maximum ids per reason for requirements that were not exercised. */
const NAMED_MISSING = 4;
/** Maximum groups of missing lines. With more, each line is shown by itself, so that the violations stay in sight. */
const TOLD_TOGETHER = 12;

interface View {
  readonly report: ConformanceReport;
  readonly style: TerminalStyle;
}

/** Several lines, without a trailing line feed. */
export function terminalSummary(whole: ConformanceReport, options: TerminalOptions): string {
  const report = withMissingShards(whole);
  const style = new TerminalStyle({ colour: options.colour, width: options.width ?? 100 });
  const view = { report, style };
  const ofEach = (chapter: (view: View, target: TargetResult) => readonly string[]) =>
    report.targets.flatMap((target) => chapter(view, target));
  return [
    ...ofEach(unanswered),
    ...ofEach(broken),
    ...troubles(view),
    ...ofEach(inconclusive),
    ...ofEach(deviations),
    ...ofEach(notExercised),
    ...ofEach(totals),
    '',
    lastLine(view, options.page),
  ].join('\n');
}

/** The failure of most requests to the target. It causes most of the other results. */
function unanswered({ report, style }: View, target: TargetResult): readonly string[] {
  const trouble = troubleOf(report, target);
  const lines = trouble === undefined ? [] : style.text(`${trouble}.`);
  return style.block('bad', `NO ANSWERS THAT CAN BE READ of ${target.name}`, lines);
}

/** The causes of broken requirements, each with its evidence. Of the last ones only the names. */
function broken({ report, style }: View, target: TargetResult): readonly string[] {
  const causes = causesOf(report, target.name);
  const rest = causes.slice(TOLD_IN_FULL);
  const keys = keysText(report, target.name);
  return [
    ...causes
      .slice(0, TOLD_IN_FULL)
      .flatMap((cause) => ['', ...oneCause({ report, style }, cause)]),
    ...(rest.length === 0 ? [] : ['', ...style.text(`And ${rest.length} more:`, 0)]),
    ...rest.map((cause) => {
      const also = cause.others.length === 0 ? '' : `, and ${cause.others.length} with it`;
      return `  ${style.tone(toneOf(cause), cause.root.id)}${also}`;
    }),
    ...(keys === undefined ? [] : ['', ...style.text(keys, 0)]),
  ];
}

function oneCause({ report, style }: View, cause: Cause): readonly string[] {
  const { root, others } = cause;
  const at = report.targets.length > 1 ? style.tone('faint', `  at ${root.target}`) : '';
  const title = isStated(cause) ? 'FAILED' : 'WARNED';
  return [
    `${style.tone(toneOf(cause), `${title}  ${root.id}`)}${at}`,
    ...evidenceRows(report, root).flatMap(({ label, text }) =>
      label === 'Curl' || label === 'Again'
        ? [style.command(label, text.replaceAll(' \\\n  ', ' '))]
        : style.row(label, visibleLine(text, SHOWN_TEXT), tones[label]),
    ),
    ...(others.length === 0
      ? []
      : style.row(
          'With it',
          `${plural(others.length, 'more requirement')}, most likely for the same cause: ${namesOf(others)}`,
        )),
  ];
}

const tones: Readonly<Partial<Record<EvidenceRow['label'], Tone>>> = {
  Expected: 'good',
  Actual: 'bad',
};

function namesOf(results: readonly { readonly id: string }[]): string {
  return firstOf(
    results.map(({ id }) => id),
    NAMED,
  );
}

function toneOf(cause: Cause): Tone {
  return isStated(cause) ? 'bad' : 'odd';
}

function troubles({ report, style }: View): readonly string[] {
  const errors = ofSuite(report).map(
    ({ case: name, message }) => `${name}: ${visibleLine(message, SHOWN_TEXT)}`,
  );
  const unjudged = report.requirements.flatMap(({ id, target, verdict }) =>
    verdict === 'error'
      ? [`${report.targets.length > 1 ? `${id} at ${target}` : id} has no verdict`]
      : [],
  );
  return style.block('bad', 'SUITE ERRORS, which say nothing about the target', [
    ...style.listed(errors),
    ...style.listed(unjudged),
  ]);
}

/** Undecided requirements, by reason. */
function inconclusive({ report, style }: View, target: TargetResult): readonly string[] {
  const lines = doubtsOf(report, target.name).map(({ reason, results, after }) => {
    const why = `${visibleLine(reason, SHOWN_TEXT)}${afterText(after)}`;
    return results.length === 1
      ? `${namesOf(results)}: ${why}`
      : `${plural(results.length, 'requirement')}: ${why}: ${namesOf(results)}`;
  });
  return style.block('odd', `INCONCLUSIVE at ${target.name}`, style.listed(lines));
}

function deviations({ report, style }: View, target: TargetResult): readonly string[] {
  const lines = deviationLines(report, target.name).map(
    ({ result, text }) => `${result.id}: ${visibleLine(text, SHOWN_TEXT)}`,
  );
  return style.block('strong', `KNOWN DEVIATIONS of ${target.name}`, style.listed(lines));
}

function notExercised({ report, style }: View, target: TargetResult): readonly string[] {
  const groups = missingGroups(report, target.name);
  if (groups.length === 0) return [];
  const helped = groups.filter((one) => one.line !== undefined && whyBeyondLine(one) === undefined);
  const shown =
    helped.length > TOLD_TOGETHER ? groups.filter((one) => !helped.includes(one)) : groups;
  const lines = shown.flatMap((group) => {
    const { line, reasons, requirements } = group;
    const [first] = requirements;
    const subject =
      requirements.length === 1 ? (first ?? '') : plural(requirements.length, 'requirement');
    if (line === undefined) {
      const names = requirements.length === 1 ? '' : `: ${firstOf(requirements, NAMED_MISSING)}`;
      return style.text(`${subject}: ${visibleLine(reasons[0] ?? '', SHOWN_TEXT)}${names}`);
    }
    const why = whyBeyondLine(group);
    return [
      ...style.text(
        `${subject}${why === undefined ? '' : `: ${visibleLine(why, SHOWN_TEXT)};`} with`,
      ),
      ...line.split('\n').map((each) => `    ${style.tone('command', each)}`),
    ];
  });
  const where =
    target.file === undefined || groups.every(({ line }) => line === undefined)
      ? ''
      : `, and the lines of ${target.file} that would exercise it`;
  return style.block('strong', `NOT EXERCISED at ${target.name}${where}`, [
    ...(shown === groups ? [] : eachLine(helped, style)),
    ...lines,
  ]);
}

/** A reason for needing the line that is more than its absence. Undefined if there is none. */
function whyBeyondLine({ reasons }: MissingGroup): string | undefined {
  return reasons.find((reason) => !reason.startsWith('needs '));
}

function eachLine(groups: readonly MissingGroup[], style: TerminalStyle): readonly string[] {
  const count = sum(groups, ({ requirements }) => requirements.length);
  return [
    ...style.text(
      `${plural(count, 'requirement')} with these lines, of which each may need several (plumbline plan: as one block)`,
    ),
    ...missingLines(groups).map(
      ({ line, requirements }) =>
        `    ${style.tone('command', line)}${style.tone('faint', `  # ${requirements.length}`)}`,
    ),
  ];
}

function totals({ report, style }: View, target: TargetResult): readonly string[] {
  const conclusion = conclude(report, target);
  return style.block(conclusionTones[conclusion], verdictSentence(report, target), [
    ...countLines(report, target).flatMap((line) => style.text(`${line}.`)),
    ...target.brokenBeyondSelection.flatMap(({ id }) =>
      style.text(`${id} was not asked for, but is broken too.`),
    ),
    ...style.text(`${plural(target.requests, 'request')} to ${target.baseUrl}.`),
    ...traffic(target).flatMap((line) => style.text(line)),
  ]);
}

/** Traffic that was not judged, and clients that did not wait when asked to. */
function traffic({ observed }: TargetResult): readonly string[] {
  const hasty = (observed?.clients ?? []).filter(({ hurried }) => hurried > 0);
  return [
    ...(observed?.notJudged ?? []).map(({ reason, count }) => `Not judged: ${count} (${reason}).`),
    ...hasty
      .slice(0, NAMED)
      .map(
        ({ client, hurried, askedToWait }) =>
          `${visibleLine(client, SHOWN_TEXT)} came too soon ${hurried} of ${plural(askedToWait, 'time')} that it was asked to wait.`,
      ),
  ];
}

const conclusionTones: Readonly<Record<Conclusion, Tone>> = {
  conforms: 'good',
  violates: 'bad',
  'nothing-exercised': 'odd',
  undecided: 'odd',
  unjudged: 'bad',
};

function lastLine({ report: { run }, style }: View, page: string | undefined): string {
  const parts = [plural(run.requests, 'request'), duration(run.durationMs), `seed ${run.seed}`];
  if (page !== undefined) parts.push(`report ${page}`);
  return style.heading('faint', parts.join(' · ')).join('\n');
}
