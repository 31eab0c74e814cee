/** The process of a command: its terminal, and the signals that end it. */

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the process its usual handling of signals back. */
  end(): void;
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write(
      '\nInterrupted: ending what is under way and writing what was seen. Again to stop at once.\n',
    );
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

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export async function untilEnded(): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
      resolve();
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
  });
}

/** Columns of a stream; `usual` for one that is no terminal, or for a terminal that does not know and says 0. */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  usual: number,
): number {
  return columns === undefined || columns < 1 ? usual : columns;
}
