/** A clock that stands shortly before midnight when it begins. */

/** Milliseconds before midnight that leave a suite time to spend a budget, and do not keep it waiting for long. */
export const BEFORE_MIDNIGHT_MS = 8_000;

const DAY_MS = 86_400_000;

/** A clock, in milliseconds since the epoch, that is so many milliseconds before the end of a UTC day, and runs on. */
export function clockBeforeMidnight(ms: number): () => number {
  const ahead = DAY_MS - (Date.now() % DAY_MS) - ms;
  return () => Date.now() + ahead;
}
