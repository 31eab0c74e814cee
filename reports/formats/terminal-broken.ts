/** What is broken, by cause, and what could not be decided, by reason: lines for a terminal. */

import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { type Cause, causesOf, isStated } from '../model/causes.ts';
import { afterText, doubtsOf } from '../model/doubts.ts';
import { firstOf, plural, visibleLine } from '../model/text.ts';
import { type EvidenceRow, evidenceRows } from './exchange-text.ts';
import type { TerminalStyle, Tone } from './progress.ts';

/** Beyond these, ids alone: a broken server must not scroll its own first violation away. */
const TOLD_IN_FULL = 20;
/** Names and lines of a list; beyond these, their number. */
export const NAMED = 12;
/** Characters of what a server said. */
export const SHOWN_TEXT = 600;

/** What is told, and how. */
export interface View {
  readonly report: ConformanceReport;
  readonly style: TerminalStyle;
}

/** Causes of what is broken, each with its evidence, and the names of those that are too many. */
export function broken({ report, style }: View, target: TargetResult): readonly string[] {
  const causes = causesOf(report, target.name);
  const rest = causes.slice(TOLD_IN_FULL);
  return [
    ...causes
      .slice(0, TOLD_IN_FULL)
      .flatMap((cause) => ['', ...oneCause({ report, style }, cause)]),
    ...(rest.length === 0 ? [] : ['', ...style.text(`And ${rest.length} more:`, 0)]),
    ...rest.map((cause) => {
      const also = cause.others.length === 0 ? '' : `, and ${cause.others.length} with it`;
      return `  ${style.tone(toneOf(cause), cause.root.id)}${also}`;
    }),
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

/** The ids of the first requirements, and how many more there are. */
function namesOf(results: readonly { readonly id: string }[]): string {
  return firstOf(
    results.map(({ id }) => id),
    NAMED,
  );
}

/** What could not be decided, by reason. */
export function inconclusive({ report, style }: View, target: TargetResult): readonly string[] {
  const lines = doubtsOf(report, target.name).map(({ reason, results, after }) => {
    const why = `${visibleLine(reason, SHOWN_TEXT)}${afterText(after)}`;
    return results.length === 1
      ? `${namesOf(results)}: ${why}`
      : `${plural(results.length, 'requirement')}: ${why}: ${namesOf(results)}`;
  });
  return block(style, 'odd', `INCONCLUSIVE at ${target.name}`, listed(lines, style));
}

/** Lines under a heading, after an empty line; nothing without any. */
export function block(
  style: TerminalStyle,
  tone: Tone,
  heading: string,
  lines: readonly string[],
): readonly string[] {
  return lines.length === 0 ? [] : ['', ...style.heading(tone, heading), ...lines];
}

function toneOf(cause: Cause): Tone {
  return isStated(cause) ? 'bad' : 'odd';
}

/** The first lines, and how many more there are. */
export function listed(lines: readonly string[], style: TerminalStyle): readonly string[] {
  const rest = lines.length - NAMED;
  return [
    ...lines.slice(0, NAMED).flatMap((line) => style.text(line)),
    ...(rest > 0 ? style.text(`and ${rest} more`) : []),
  ];
}
