/** How a command ends: its exit codes, signals, and the width of its terminal. */

import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export const exitCodes = {
  conforms: 0,
  violates: 1,
  /** Wrong options, or a target file that cannot be used. */
  usage: 2,
  /** The target could not be reached, or did not accept the key. */
  unreachable: 3,
  /** The suite itself failed. */
  suiteFailed: 4,
  /** Nothing broken was seen, and too little was decided. */
  undecided: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Makes of what a command does its action, which ends with the exit code that this returns. */
export type Ends = <Given extends unknown[]>(
  act: (...given: Given) => ExitCode | Promise<ExitCode>,
) => (...given: Given) => Promise<void>;

/** Ends a command with a message for the user and an exit code; no stack trace is shown. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command that was called wrongly. Throws `CommandFailure`. */
export function refuse(message: string): never {
  throw new CommandFailure(message, exitCodes.usage);
}

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the process its usual handling of signals back. */
  end(): void;
}

/**
 * `atOnce` runs before a second signal ends the process: it says what is left behind. `ending` says what a first signal is
 * followed by.
 */
export function onInterrupt(
  atOnce: () => void = () => {},
  ending = 'ending what is under way',
): Interrupt {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) {
      atOnce();
      process.exit(130);
    }
    process.stderr.write(`\nInterrupted: ${ending}. Again to stop at once.\n`);
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return {
    signal: controller.signal,
    end: () => {
      process.off('SIGINT', handle);
      process.off('SIGTERM', handle);
    },
  };
}

/** Does what a first SIGINT or SIGTERM ends, of which the signal tells: what fails then fails for the interrupt. */
export async function interruptible(
  act: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupt = onInterrupt();
  const { signal } = interrupt;
  try {
    return await act(signal);
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    interrupt.end();
  }
}

/** What would end this process at once, as when a thread of it is out of memory: the first of it, in a sentence. */
export function firstCrash(): { readonly crashed: Promise<string>; end(): void } {
  let resolveCrashed: (sentence: string) => void = () => {};
  const crashed = new Promise<string>((resolve) => (resolveCrashed = resolve));
  const take = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    resolveCrashed(`it broke off before its end, out of memory or by a mistake of ours: ${why}`);
  };
  process.on('uncaughtException', take);
  return { crashed, end: () => void process.off('uncaughtException', take) };
}

/** How a program ended: its exit code, the signal that ended it, or why it did not start. */
export async function ended(
  program: string,
  argv: readonly string[],
  stdio: StdioOptions,
): Promise<number | string> {
  const { spawn } = await import('node:child_process');
  const child = spawn(program, argv, { stdio });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
}

/** Asks on a terminal; false where nobody can be asked, and unless the answer is yes. */
export async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: question, initialValue: false })) === true;
}

/** Resolves at the first SIGINT or SIGTERM, or after so many seconds; a later signal ends the process at once. */
export async function untilEnded(seconds?: number): Promise<void> {
  const over = new AbortController();
  const options = { signal: over.signal };
  const ends: Promise<unknown>[] = ['SIGINT', 'SIGTERM'].map(async (signal) =>
    once(process, signal, options),
  );
  if (seconds !== undefined) ends.push(sleep(seconds * 1_000, undefined, options));
  await Promise.race(ends);
  over.abort();
}

/** Columns of a stream; `usual` for one that is no terminal, or for a terminal that does not know and says 0. */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  usual: number,
): number {
  return columns === undefined || columns < 1 ? usual : columns;
}

/** How what is for a person is written on stdout. */
export function onStdout(): { readonly colour: boolean; readonly width: number } {
  const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return { colour, width: terminalWidth(process.stdout, 100) };
}
