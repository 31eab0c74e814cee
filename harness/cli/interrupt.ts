/** Interrupts as a signal: the first ends the run in order, with a partial report; a second one ends at once. */

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
