/** Waiting for the user to end a command that serves. */

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
