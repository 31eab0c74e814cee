/** Waiting for streams that are held at their engine to begin at their clients. */
import { rest } from '../../runner/retry.ts';

export interface HeadsSeen {
  /** To be called with the head of each answer. */
  readonly onHead: () => undefined;
  /** Resolves once so many heads have come, or waiting for them has been long enough. */
  readonly begun: (signal: AbortSignal) => Promise<void>;
}

/** Counts the heads of `count` answers. */
export function headsSeen(count: number): HeadsSeen {
  let seen = 0;
  let tell: () => void = () => {};
  const all = new Promise<void>((resolve) => (tell = resolve));
  return {
    onHead: () => {
      seen += 1;
      if (seen === count) tell();
      return undefined;
    },
    begun: async (signal) => Promise.race([all, rest({ signal }, 'headsSeen')]),
  };
}
