/** The end of a run as a person reads it: what to mend first, then what could not be told, then the counts. */

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
import {
  block,
  broken,
  inconclusive,
  listed,
  NAMED,
  SHOWN_TEXT,
  type View,
} from './terminal-broken.ts';
import { TerminalStyle, type Tone } from './progress.ts';
import { duration, firstOf, plural, sum, visibleLine } from '../model/text.ts';
import { ofSuite, troubleOf } from '../model/lost.ts';
import { countLines, verdictSentence } from '../model/wording.ts';

export interface TerminalOptions {
  readonly colour: boolean;
  /** Columns of the terminal; 100 when there is none. */
  readonly width?: number;
  /** Where the page of the run is, to be named in the last line. */
  readonly page?: string;
}

/** What was not exercised is told for its reason. */
const NAMED_MISSING = 4;
/** Groups of lines that go together; beyond these, each line by itself: the violations must stay in sight. */
const TOLD_TOGETHER = 12;

/** Several lines, without a line feed at the end. */
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

/** What the target did to most requests: the cause of most that follows. */
function unanswered({ report, style }: View, target: TargetResult): readonly string[] {
  const trouble = troubleOf(report, target);
  const lines = trouble === undefined ? [] : style.text(`${trouble}.`);
  return block(style, 'bad', `NO ANSWERS THAT CAN BE READ of ${target.name}`, lines);
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
  return block(style, 'bad', 'SUITE ERRORS, which say nothing about the target', [
    ...listed(errors, style),
    ...listed(unjudged, style),
  ]);
}

function deviations({ report, style }: View, target: TargetResult): readonly string[] {
  const lines = deviationLines(report, target.name).map(
    ({ result, text }) => `${result.id}: ${visibleLine(text, SHOWN_TEXT)}`,
  );
  return block(style, 'strong', `KNOWN DEVIATIONS of ${target.name}`, listed(lines, style));
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
  return block(style, 'strong', `NOT EXERCISED at ${target.name}${where}`, [
    ...(shown === groups ? [] : eachLine(helped, style)),
    ...lines,
  ]);
}

/** Why it takes a line, where that is more than that the line is not there; undefined where the line says it all. */
function whyBeyondLine({ reasons }: MissingGroup): string | undefined {
  return reasons.find((reason) => !reason.startsWith('needs '));
}

function eachLine(groups: readonly MissingGroup[], style: TerminalStyle): readonly string[] {
  const count = sum(groups, ({ requirements }) => requirements.length);
  return [
    ...style.text(
      `${plural(count, 'requirement')} with these lines, of which each may need several`,
    ),
    ...missingLines(groups).map(
      ({ line, requirements }) =>
        `    ${style.tone('command', line)}${style.tone('faint', `  # ${requirements.length}`)}`,
    ),
  ];
}

function totals({ report, style }: View, target: TargetResult): readonly string[] {
  const conclusion = conclude(report, target);
  return block(style, conclusionTones[conclusion], verdictSentence(report, target), [
    ...countLines(report, target).flatMap((line) => style.text(`${line}.`)),
    ...target.brokenBeyondSelection.flatMap(({ id }) =>
      style.text(`${id} was not asked for, but is broken too.`),
    ),
    ...style.text(`${plural(target.requests, 'request')} to ${target.baseUrl}.`),
    ...traffic(target).flatMap((line) => style.text(line)),
  ]);
}

/** What traffic of others left unjudged, and clients that did not wait when they were asked to. */
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
