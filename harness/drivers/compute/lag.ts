/** Patience with answers that are read from a copy, which may be behind what was changed. */

/**
 * Milliseconds before each further look at what seems wrong: taken together, longer than a reader of a copy may be behind
 * (`LAG_MS`).
 */
export const CATCHING_UP_MS: readonly number[] = [250, 750, 1_250, 2_000];
