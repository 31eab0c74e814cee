/** How a command ends: exit codes and signals. Also the width of its terminal. */

import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export const exitCodes = {
  conforms: 0,
  violates: 1,
  /** Wrong options, or an unusable target file. */
  usage: 2,
  /** The target could not be reached, or refused the key. */
  unreachable: 3,
  suiteFailed: 4,
  /** Nothing broken was seen, but too little was decided. */
  undecided: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Wraps the function of a command as a commander action that stores the returned exit code. */
export type Ends = <Given extends unknown[]>(
  act: (...given: Given) => ExitCode | Promise<ExitCode>,
) => (...given: Given) => Promise<void>;

/** Ends a command with a message for the user and an exit code, without a stack trace. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command because of wrong usage. Throws `CommandFailure`. */
export function refuse(message: string): never {
  throw new CommandFailure(message, exitCodes.usage);
}

/**
 * The first signal aborts `signal` and prints `ending`, which says what happens now. A second one runs `atOnce`, which
 * reports what is left behind, and ends the process. `end` restores the default signal handling.
 */
export function onInterrupt(
  atOnce: () => void = () => {},
  ending = 'ending what is under way',
): { readonly signal: AbortSignal; end(): void } {
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

/** Runs `act` until the first SIGINT or SIGTERM. An error after that is due to the interrupt. */
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

/** Resolves with a sentence at the first uncaught exception, for example when a thread is out of memory. */
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

/** Runs a program. Returns its exit code, the signal that ended it, or the reason why it did not start. */
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

/** Asks on a terminal. False without a terminal, and for any answer except yes. */
export async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: question, initialValue: false })) === true;
}

/** Resolves at the first SIGINT or SIGTERM, or after `seconds`. A later signal ends the process at once. */
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

const SILENT_MS = 10_000;

/** Reports every ten seconds that nothing new was seen of a target, until cleared. `refresh` begins anew. */
export function tellSilence(baseUrl: string): NodeJS.Timeout {
  const line = `  … nothing new for ${SILENT_MS / 1_000} s: ${new URL(baseUrl).host} answers late, or asks to wait (429)\n`;
  return setInterval(() => process.stderr.write(line), SILENT_MS);
}

/** Columns of a stream. `usual` for a stream without a terminal, or if the terminal reports 0. */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  usual: number,
): number {
  return columns === undefined || columns < 1 ? usual : columns;
}

/** Colour and width for output to stdout. */
export function onStdout(): { readonly colour: boolean; readonly width: number } {
  const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return { colour, width: terminalWidth(process.stdout, 100) };
}
