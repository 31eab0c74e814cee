/** A comparison as text: for a terminal, and as Markdown for a pull request. */

import { type Change, type ChangeKind, changeKinds, type Comparison } from '../model/compare.ts';
import { plainMarkdown } from './markdown.ts';
import { TerminalStyle, type Tone } from './terminal-style.ts';
import { plural, visibleLine } from '../model/text.ts';

const titles: Readonly<Record<ChangeKind, string>> = {
  broke: 'Broke',
  healed: 'Healed',
  waived: 'Waived now',
  appeared: 'Appeared',
  went: 'Went',
};

const tones: Readonly<Record<ChangeKind, Tone>> = {
  broke: 'bad',
  healed: 'good',
  waived: 'odd',
  appeared: 'strong',
  went: 'odd',
};

const SHOWN = 400;

/** Returns `2 broke, 1 healed, 210 unchanged`. */
function comparisonSentence({ changes, unchanged, unstable }: Comparison): string {
  const counts = changeKinds.flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [`${count} ${titles[kind].toLowerCase()}`];
  });
  const shaky = unstable.length === 0 ? [] : [`${unstable.length} unstable`];
  return [...counts, ...shaky, `${unchanged} unchanged`].join(', ');
}

/** Several lines, without a trailing line feed. */
export function comparisonText(
  comparison: Comparison,
  options: { colour: boolean; width: number },
): string {
  const style = new TerminalStyle(options);
  const unstable = comparison.unstable.map(({ target, id }) => `${id} at ${target}`);
  const told = (title: string, texts: readonly string[]) =>
    group(
      style.tone('strong', title),
      texts.flatMap((text) => style.text(text)),
    );
  return [
    ...changeKinds.flatMap((kind) =>
      group(
        style.tone(tones[kind], titles[kind].toUpperCase()),
        comparison.changes
          .filter((change) => change.kind === kind)
          .flatMap((change) => changeLines(change, style)),
      ),
    ),
    ...told('UNSTABLE', unstable),
    ...told('NOT COMPARED', comparison.unmatched),
    ...told('WHAT DIFFERS BETWEEN THE RUNS', comparison.differences),
    ...style.heading('strong', `${comparisonSentence(comparison)}.`),
  ].join('\n');
}

function changeLines(change: Change, style: TerminalStyle): readonly string[] {
  return [
    ...style.text(`${change.id} at ${change.target}: ${verdicts(change)}`),
    ...style.text(`${change.cause}: ${visibleLine(change.because, SHOWN)}`, 4),
    ...(change.found === undefined ? [] : style.text(visibleLine(change.found, SHOWN), 4)),
    ...(change.replay === undefined ? [] : [`    ${style.tone('command', change.replay)}`]),
  ];
}

function group(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, ''];
}

function verdicts({ before, after }: Change): string {
  return `${before} before, ${after.join(' / ')} after`;
}

export function comparisonMarkdown(comparison: Comparison): string {
  const rows = comparison.changes.map((change) =>
    [
      titles[change.kind],
      change.id,
      change.target,
      verdicts(change),
      `${change.cause}: ${change.because}`,
    ]
      .map((cell) => plainMarkdown(cell))
      .join(' | '),
  );
  const table =
    rows.length === 0
      ? []
      : [
          '| | Requirement | Target | Verdict | Cause |',
          '|---|---|---|---|---|',
          ...rows.map((row) => `| ${row} |`),
          '',
        ];
  const notes = [
    ...comparison.unstable.map(({ target, id }) => `unstable: ${id} at ${target}`),
    ...comparison.unmatched,
    ...comparison.differences,
  ];
  return [
    `## ${plural(comparison.changes.length, 'change')}: ${comparisonSentence(comparison)}`,
    '',
    ...table,
    ...notes.map((note) => `- ${plainMarkdown(note)}`),
    '',
  ].join('\n');
}
