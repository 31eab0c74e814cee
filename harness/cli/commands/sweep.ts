/** `plumbline sweep`: removes what a killed run left on a deployment. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PlannedTarget } from '../../runner/selection.ts';
import type { Command } from 'commander';
import {
  agrees,
  CommandFailure,
  type ExitCode,
  exitCodes,
  interruptible,
  type Ends,
  refuse,
} from '../exit.ts';
import { grouped, shellWord, visibleLine } from '../../../reports/model/text.ts';
import { contractOf } from '../../contracts/index.ts';
import {
  isOver,
  type Journal,
  journalIn,
  type Leftover,
  type Swept,
} from '../../drivers/journal.ts';
import { openJournal, shown } from '../files.ts';
import { withHeaders } from '../planned.ts';
import { type RunOptions, sharedOptions } from './options.ts';
import { loadTarget } from '../../contracts/target-file.ts';

/** Adds the options and the action of `plumbline sweep`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('[TARGET...]', 'target files, for their keys; without any, it lists what is left')
    .option('--search', 'look for instances by the names that the suite gives, without a journal')
    .option('--yes', 'remove what --search finds without asking');
  sharedOptions(command, 'journal', 'header')
    .addHelpText(
      'after',
      '\nIt reads the journal beside each target file, where runs write down what they make.' +
        '\nIt exits with 0 when nothing is left, 3 when something is, or when there is no journal to tell.',
    )
    .action(ends(sweep));
}

interface SweepOptions extends Pick<RunOptions, 'journal' | 'header'> {
  readonly search?: boolean;
  readonly yes?: boolean;
}

/** Throws `CommandFailure` for a target whose instances cannot be removed. */
async function sweep(files: readonly string[], options: SweepOptions): Promise<ExitCode> {
  const targets = await Promise.all(
    files.map(async (file) => withHeaders(await loadTarget(file), options.header)),
  );
  if (options.search === true && targets.length === 0) {
    refuse('--search looks at deployments: name their target files.');
  }
  return interruptible(async (signal) => {
    let code: ExitCode = exitCodes.conforms;
    for (const file of journalsOf(targets, options.journal)) {
      const isOwn = ({ folder }: PlannedTarget): boolean =>
        (options.journal ?? journalIn(folder)) === file;
      const journal = openJournal(file, targets.length > 0);
      const isDone = await sweepJournal(targets.filter(isOwn), journal, options, signal);
      if (!isDone) code = exitCodes.unreachable;
    }
    return code;
  });
}

function journalsOf(
  targets: readonly PlannedTarget[],
  journal: string | undefined,
): readonly string[] {
  if (journal !== undefined) return [journal];
  const folders = targets.length === 0 ? [process.cwd()] : targets.map(({ folder }) => folder);
  return [...new Set(folders.map(journalIn))];
}

/** True if nothing is left over according to this journal or a search. */
async function sweepJournal(
  targets: readonly PlannedTarget[],
  journal: Journal,
  { search = false, yes = false }: SweepOptions,
  signal: AbortSignal,
): Promise<boolean> {
  // A successful run removes its journal and keeps the folder.
  const isKnown = existsSync(journal.path) || existsSync(path.dirname(journal.path));
  if (search) {
    for (const planned of targets) await searchOne(planned, journal, yes, signal);
  } else if (!isKnown) {
    say(
      `There is no journal at ${shown(journal.path)}: no run wrote there what it made, so nothing can be told. Name the journal of the run with --journal, or look for instances by their names: plumbline sweep --search TARGET`,
    );
    return false;
  }
  const leftovers = journal.leftovers();
  if (leftovers.length === 0) {
    if (warnOfUnreadable(journal)) return false;
    say('Nothing is left over.');
    return true;
  }
  const baseUrls = new Set<string>();
  for (const planned of targets) {
    baseUrls.add(planned.target.baseUrl);
    const own = leftovers.filter(({ baseUrl }) => baseUrl === planned.target.baseUrl);
    await sweepOne(planned, own, journal, signal);
  }
  printOtherLeftovers(leftovers.filter(({ baseUrl }) => !baseUrls.has(baseUrl)));
  journal.tidy();
  const isUnsure = warnOfUnreadable(journal);
  return journal.leftovers().length === 0 && !isUnsure;
}

/** Adds instances with a name of the suite to the journal, with the user's consent, since a running suite may own them. */
async function searchOne(
  planned: PlannedTarget,
  journal: Journal,
  isAgreed: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { target } = planned;
  const known = new Set(journal.leftovers().map(({ name }) => name));
  const all = (await contractOf(target.contract).instances?.search(planned, signal)) ?? [];
  const found = all.filter(({ name }) => !known.has(name));
  if (found.length === 0)
    return say(`${target.name}: no further instance has a name of the suite's.`);
  say(`${target.name}: ${found.length} running instances have a name of the suite's:`);
  for (const { name, id } of found) say(`  ${name} (${id})`);
  if (!isAgreed && !(await agrees('Remove them? A run that goes on would miss them.'))) {
    refuse('Nothing was removed. Add --yes where nobody can be asked.');
  }
  for (const { name, id, baseUrl } of found) {
    journal.write({
      kind: 'asked',
      target: target.name,
      baseUrl,
      name,
      at: new Date(0).toISOString(),
    });
    if (id !== undefined) journal.write({ kind: 'made', name, id });
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
  for (const line of linesOf(swept)) say(`  ${line}`);
}

const SHOWN_TEXT = 300;

/** Instances that stay for one reason of which each gets a line. */
const SHOWN_ALIKE = 3;

const words: Readonly<Record<Swept['outcome'], string>> = {
  terminated: 'terminated',
  gone: 'was gone already',
  'never-made': 'was never made: no instance of that name is listed',
  pending: 'is not listed, and may still appear',
  stays: 'STAYS',
};

/** A line for each instance, but few where many stay for one reason, as on a deployment that is down. */
export function linesOf(swept: readonly Swept[]): readonly string[] {
  return [...grouped(swept, reasonOf).values()].flatMap((alike) => {
    const more = alike.length - SHOWN_ALIKE;
    const rest = more > 0 ? [`  and ${more} more for the same reason`] : [];
    return [...alike.slice(0, SHOWN_ALIKE).map(lineOf), ...rest];
  });
}

/** What became of an instance and why, without its id and times. One without a reason is like no other. */
function reasonOf({ name, id = name, outcome, reason }: Swept): string {
  return reason === undefined
    ? `${name} ${id}`
    : `${outcome} ${reason.replaceAll(id, '').replaceAll(/\d+ ms/gu, '')}`;
}

function lineOf({ name, id, outcome, reason }: Swept): string {
  const mark = isOver(outcome) ? '✓' : '✗';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${mark} ${name}${id === undefined ? '' : ` (${id})`} ${words[outcome]}${why}`;
}

/** True if some lines of the journal are unreadable. */
function warnOfUnreadable(journal: Journal): boolean {
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

function printOtherLeftovers(leftovers: readonly Leftover[]): void {
  for (const { name, id, target, baseUrl } of leftovers) {
    say(`✗ ${name}${id === undefined ? '' : ` (${id})`} is left over on ${target}, ${baseUrl}.`);
  }
  if (leftovers.length > 0) say('Name the target files of these: plumbline sweep TARGET...');
}

/** Prints what a run left on its targets, and what to do about it. */
export function printLeftovers(
  targets: readonly PlannedTarget[],
  fileOf: ReadonlyMap<string, string>,
  journal?: string,
): void {
  const paths = journalsOf(targets, journal);
  const files = filesToSweep(
    paths.flatMap(leftoversIn),
    targets.map(({ target }) => target),
    fileOf,
  );
  if (files.length === 0) return;
  const where = journal === undefined ? '' : ` --journal ${shellWord(shown(journal))}`;
  process.stderr.write(
    `Instances of this run or an earlier one may be left over (${paths.map(shown).join(', ')}). To remove them:\n  plumbline sweep ${files.map(shellWord).join(' ')}${where}\n`,
  );
}

/** An unreadable journal does not affect the result of the run. */
function leftoversIn(file: string): readonly Leftover[] {
  try {
    return openJournal(file).leftovers();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return [];
  }
}

/** The target files of deployments with leftovers. Matched by address, since names may have been reused. */
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
