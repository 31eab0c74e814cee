/** `plumbline check`: checks whether the target file fits the deployment. */

import type { Command } from 'commander';
import {
  type ExitCode,
  exitCodes,
  interruptible,
  type Ends,
  onStdout,
  tellSilence,
} from '../exit.ts';
import { TerminalStyle } from '../../../reports/formats/terminal-style.ts';
import { plural, shellWord, sum } from '../../../reports/model/text.ts';
import { type CheckLine, checkUp } from '../../contracts/preflight.ts';
import { TargetFileError } from '../../target/problem.ts';
import { withHeaders } from '../planned.ts';
import { sharedOptions } from './options.ts';
import { loadTarget } from '../../contracts/target-file.ts';

/** Adds the options and the action of `plumbline check`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<TARGET...>', 'target files')
    .option('--json', 'print what was found as JSON', false);
  sharedOptions(command, 'header')
    .addHelpText(
      'after',
      '\nIt exits with 0 when all fits, 2 when a line of the file does not, 3 when the host or a key does not let it in.',
    )
    .action(ends(check));
}

interface CheckedFile {
  readonly file: string;
  readonly name?: string;
  readonly baseUrl?: string;
  /** What is wrong with the file itself. */
  readonly problem?: string;
  readonly lines: readonly CheckLine[];
}

/** Checks every file, even after a failure. */
export async function check(
  files: readonly string[],
  options: { readonly json: boolean; readonly header?: readonly string[] },
): Promise<ExitCode> {
  const style = new TerminalStyle(onStdout());
  const say = options.json
    ? (): void => {}
    : (text: string): void => void process.stdout.write(`${text}\n`);
  return interruptible(async (signal) => {
    const checked: CheckedFile[] = [];
    for (const file of files) {
      if (signal.aborted) break;
      checked.push(await checkFile(file, options.header, style, say, signal));
    }
    if (signal.aborted) return exitCodes.interrupted;
    if (options.json) process.stdout.write(`${JSON.stringify(checked, null, 2)}\n`);
    else say(lastLine(checked));
    return codeOf(checked);
  });
}

async function checkFile(
  file: string,
  header: readonly string[] | undefined,
  style: TerminalStyle,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<CheckedFile> {
  try {
    const planned = withHeaders(await loadTarget(file), header);
    const { name, contract, baseUrl } = planned.target;
    say(style.tone('strong', `${name}: ${contract} at ${baseUrl}`));
    say(lineText({ mark: 'fits', subject: file, note: 'can be read' }, style));
    const lines: CheckLine[] = [];
    const silence = tellSilence(baseUrl);
    try {
      await checkUp(
        planned,
        (line) => {
          // After an interrupt, failures are due to the interrupt.
          if (signal.aborted) return;
          silence.refresh();
          lines.push(line);
          say(lineText(line, style));
        },
        signal,
      );
    } finally {
      clearInterval(silence);
    }
    return { file, name, baseUrl, lines };
  } catch (error) {
    if (!(error instanceof TargetFileError)) throw error;
    say(error.message);
    return { file, problem: error.message, lines: [] };
  }
}

/** The text of a line and, if something is wrong, what to do about it. */
function lineText(line: CheckLine, style: TerminalStyle): string {
  if (line.mark === 'untried') {
    return `  ${style.tone('faint', `- ${line.subject}: not tried, ${line.reason}`)}`;
  }
  const subject = style.tone('strong', line.subject);
  if (line.mark === 'fits') {
    const note = line.note === undefined ? '' : ` ${style.tone('faint', line.note)}`;
    return `  ${style.tone('good', '✓')} ${subject}${note}`;
  }
  return [
    `  ${style.tone('bad', '✗')} ${subject}`,
    ...style.text(line.problem, 6),
    ...style.text(line.hint, 6),
  ].join('\n');
}

/** Access problems determine the exit code first, since without access nothing can be checked. */
function codeOf(checked: readonly CheckedFile[]): ExitCode {
  const wrong = checked.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.mark === 'wrong' ? [line.blame] : [])),
  );
  if (wrong.includes('access')) return exitCodes.unreachable;
  return wrong.length > 0 || checked.some(({ problem }) => problem !== undefined)
    ? exitCodes.usage
    : exitCodes.conforms;
}

function lastLine(checked: readonly CheckedFile[]): string {
  const count = (mark: CheckLine['mark']): number =>
    checked.flatMap(({ lines }) => lines).filter((line) => line.mark === mark).length;
  // The problems of an unreadable file are separated by blank lines.
  const unread = sum(checked, ({ problem }) => problem?.trim().split(/\n\n+/u).length ?? 0);
  const wrong = count('wrong') + unread;
  const untried = count('untried') === 0 ? '' : `, ${count('untried')} skipped`;
  if (wrong > 0) {
    const fits = count('fits') === 0 ? '' : `, ${count('fits')} OK`;
    return `\n${plural(wrong, 'problem')}${fits}${untried}.`;
  }
  const names = checked.map(({ file }) => shellWord(file)).join(' ');
  return `\n${plural(count('fits'), 'check')} passed${untried}. Next: plumbline plan ${names}`;
}
