/** The end-to-end deadline of a request, as those see it who may move it. */

/** The end-to-end deadline of one request. */
export interface DeadlineClock {
  /** Takes the deadline away: a stream has begun. */
  readonly stop: () => void;
  readonly restart: () => void;
}

/** Moves a deadline as a rule decided. */
export function moveDeadline(
  clock: DeadlineClock,
  decided: 'runs-on' | 'restarts' | 'stops',
): void {
  if (decided === 'restarts') clock.restart();
  if (decided === 'stops') clock.stop();
}
