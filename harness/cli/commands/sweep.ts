/** `plumbline sweep`: removes what a run that was killed left on a deployment. */

import type { PlannedTarget } from '../../runner/selection.ts';
import type { Command } from 'commander';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  onInterrupt,
  type SetExitCode,
  refuse,
} from '../exit.ts';
import { visibleLine } from '../../../reports/model/text.ts';
import { contractOf } from '../../contracts/index.ts';
import { isOver, type Journal, type Leftover, type Swept } from '../../drivers/journal.ts';
import { openJournal } from '../files.ts';
import { loadTarget } from '../../contracts/target-file.ts';

/** Adds the options and the action of `plumbline sweep`. */
export function register(command: Command, setExitCode: SetExitCode): void {
  command
    .argument('[TARGET...]', 'target files, for their keys; without any, it lists what is left')
    .addHelpText(
      'after',
      '\nIt reads .plumbline/journal.ndjson of this folder, where runs write down what they make.' +
        '\nIt exits with 0 when nothing is left, 3 when something is.',
    )
    .action(async (files: readonly string[]) => {
      setExitCode(await sweep(files));
    });
}

/** Throws `CommandFailure` for a target file that does not let instances be removed. */
export async function sweep(files: readonly string[]): Promise<ExitCode> {
  const targets = await Promise.all(files.map(async (file) => loadTarget(file)));
  const journal = openJournal(targets.length > 0);
  const leftovers = journal.leftovers();
  if (leftovers.length === 0) {
    if (tellUnreadable(journal)) return exitCodes.unreachable;
    say('Nothing is left over.');
    return exitCodes.conforms;
  }
  const interrupt = onInterrupt();
  try {
    const baseUrls = new Set<string>();
    for (const planned of targets) {
      baseUrls.add(planned.target.baseUrl);
      const own = leftovers.filter(({ baseUrl }) => baseUrl === planned.target.baseUrl);
      await sweepOne(planned, own, journal, interrupt.signal);
    }
    tellOthers(leftovers.filter(({ baseUrl }) => !baseUrls.has(baseUrl)));
    journal.tidy();
    const isUnsure = tellUnreadable(journal);
    return journal.leftovers().length === 0 && !isUnsure
      ? exitCodes.conforms
      : exitCodes.unreachable;
  } catch (error) {
    if (interrupt.signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    interrupt.end();
  }
}

async function sweepOne(
  planned: PlannedTarget,
  leftovers: readonly Leftover[],
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  const { target } = planned;
  if (leftovers.length === 0) {
    say(`${target.name}: nothing is left over at ${target.baseUrl}.`);
    return;
  }
  const { instances } = contractOf(target.contract);
  if (instances?.mayBeRemoved(target) !== true) {
    refuse(
      `${target.name}: ${leftovers.length} instances are left over, and the target file does not let them be removed. It needs bindings.terminate, and consent: { terminate: true }.`,
    );
  }
  const swept = await instances.remove(planned, leftovers, journal, signal);
  say(`${target.name}: ${target.baseUrl}`);
  for (const one of swept) say(`  ${lineOf(one)}`);
}

const SHOWN_TEXT = 300;

const words: Readonly<Record<Swept['outcome'], string>> = {
  terminated: 'terminated',
  gone: 'was gone already',
  'never-made': 'was never made: no instance of that name is listed',
  pending: 'is not listed, and may still appear',
  stays: 'STAYS',
};

function lineOf({ name, id, outcome, reason }: Swept): string {
  const mark = isOver(outcome) ? '✓' : '✗';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${mark} ${name}${id === undefined ? '' : ` (${id})`} ${words[outcome]}${why}`;
}

/** True when there are lines of which nobody knows what they spoke of. */
function tellUnreadable(journal: Journal): boolean {
  const lines = journal.unreadable();
  for (const { number, text } of lines) {
    say(visibleLine(`✗ Line ${number} of ${journal.path} cannot be read: ${text}`, SHOWN_TEXT));
  }
  if (lines.length === 0) return false;
  say(
    'An instance that it spoke of may be left over: look for names that begin with plumbline-, then take the line out of the file.',
  );
  return true;
}

function tellOthers(leftovers: readonly Leftover[]): void {
  for (const { name, id, target, baseUrl } of leftovers) {
    say(`✗ ${name}${id === undefined ? '' : ` (${id})`} is left over on ${target}, ${baseUrl}.`);
  }
  if (leftovers.length > 0) say('Name the target files of these: plumbline sweep TARGET...');
}

/** After a run: says what is still left over on its targets, and what to do. */
export function tellLeftovers(
  targets: readonly PlannedTarget[],
  fileOf: ReadonlyMap<string, string>,
): void {
  const files = filesToSweep(
    leftoversNow(),
    targets.map(({ target }) => target),
    fileOf,
  );
  if (files.length === 0) return;
  process.stderr.write(
    `Instances of this run or an earlier one are left over (.plumbline/journal.ndjson). To remove them:\n  plumbline sweep ${files.join(' ')}\n`,
  );
}

/** A journal that cannot be read has nothing to do with what was judged. */
function leftoversNow(): readonly Leftover[] {
  try {
    return openJournal().leftovers();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return [];
  }
}

/**
 * The target files of those deployments that something is left over on. By address: one name may have
 * stood for another deployment when an earlier run used it.
 */
export function filesToSweep(
  leftovers: readonly Leftover[],
  targets: readonly Pick<PlannedTarget['target'], 'name' | 'baseUrl'>[],
  fileOf: ReadonlyMap<string, string>,
): readonly string[] {
  const held = new Set(leftovers.map(({ baseUrl }) => baseUrl));
  return targets.flatMap(({ name, baseUrl }) =>
    held.has(baseUrl) ? (fileOf.get(name) ?? []) : [],
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
