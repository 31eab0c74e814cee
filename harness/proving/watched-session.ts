/** A session that tells of every exchange and finding as it comes, and can be ended early. */

import type { SuiteSession } from '../runner/run-case.ts';
import type { RunnableSession } from '../runner/run-case.ts';

export interface WatchedSession {
  readonly session: SuiteSession<unknown>;
  /** Exchanges so far. */
  readonly requests: () => number;
  /** Fires when the run is to end. */
  readonly signal: AbortSignal;
}

/** `onFinding` gets the requirement, the exchanges so far, and what ends the run, with a reason. */
export function watched(
  opened: RunnableSession,
  onFinding: (requirement: string, requests: number, end: (why: string) => void) => void,
): WatchedSession {
  const ending = new AbortController();
  let requests = 0;
  const end = (why: string): void => {
    ending.abort(new Error(why));
    opened.abort();
  };
  return {
    session: {
      ...opened,
      tools: {
        ...opened.tools,
        universal: (exchange) => {
          requests += 1;
          return opened.tools.universal(exchange);
        },
        onFinding: (requirement) => onFinding(requirement, requests, end),
      },
    },
    requests: () => requests,
    signal: ending.signal,
  };
}
