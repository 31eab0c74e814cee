/** What the pace of a run allows: requests that are under way together, and limits that refill while they are used up. */

import type { RouterNeed } from '../../../schemas/router/needs.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import { NotExercised } from '../../runner/case.ts';
import type { MissingNeed } from '../../target/offers.ts';

type Figures = Pick<RouterTarget, 'limits' | 'budget'>;
type Paced = Figures & Pick<RouterTarget, 'keys'>;

/** Milliseconds for which requests must be under way together before the first meets its deadline. */
const LEFT_MS = 1_000;
/** How many times faster a bucket must be emptied than it refills. */
const FASTER = 1.5;
/** Most milliseconds between two looks at a key, since how long a rate stays exhausted is open. */
export const MAX_UNSEEN_MS = 1_500;
/** Words that the lowest of estimates counts as one token. */
export const WORDS_PER_TOKEN = 4;
/** Milliseconds in which a rate refills so far that a low estimate of a text never exceeds it. */
export const FILLED_MS = 15_000;
/** The text that exceeds a rate is so many times as long as one that the rate has refused. */
export const TEXTS_OVER = 3;

/** Tokens of the texts that use up an input rate, far under the share, so that only the rate can refuse them. */
export function inputTextSize(rate: number, share = Infinity): number {
  return Math.floor(Math.min(rate / 4, share / 4));
}

interface Pace {
  readonly perSecond: number;
  /** What it is for, as the end of "to …". */
  readonly purpose: string;
}

/** The pace that a need takes in addition to the lines of the target file, for needs that take one. */
const paces: Partial<Record<RouterNeed, (target: Paced) => Pace>> = {
  'keys.requestsPerMinute': ({ keys }) => {
    const perMinute = keys.requestsPerMinute?.limit ?? 0;
    const purpose = `empty a bucket that fills with ${perMinute} requests a minute`;
    return { perSecond: (FASTER * perMinute) / 60, purpose };
  },
  'keys.serverless.inputTokensPerMinute': ({ keys }) => {
    const { inputTokensPerMinute: rate = 0, occupancyShare } = keys.serverless ?? {};
    const texts = (WORDS_PER_TOKEN * rate) / (TEXTS_OVER * inputTextSize(rate, occupancyShare));
    const purpose = `use up an input rate of ${rate} tokens a minute`;
    return { perSecond: (1_000 * texts) / FILLED_MS, purpose };
  },
  'keys.serverless.outputTokensPerMinute': () => ({
    perSecond: 2_000 / MAX_UNSEEN_MS,
    purpose: 'see an output rate while it is used up',
  }),
  'consent.saturate': (target) => together(target, (target.limits?.maxConcurrent ?? 0) + 1),
};

/** Needs that take a faster pace than the run may have, each with the line of the target file that helps. */
export function tooSlow(target: Paced, needs: readonly string[]): readonly MissingNeed[] {
  return Object.entries(paces).flatMap(([need, paceOf]) => {
    const pace = needs.includes(need) ? paceOf(target) : undefined;
    if (pace === undefined || pace.perSecond <= target.budget.requestsPerSecond) return [];
    return [{ need, purpose: purposeOf(pace), line: lineOf(pace) }];
  });
}

function purposeOf({ perSecond, purpose }: Pace): string {
  return `a pace of ${Math.ceil(perSecond)} requests a second, to ${purpose}`;
}

function lineOf({ perSecond }: Pace): string {
  return `budget: { requestsPerSecond: ${Math.ceil(perSecond)} }`;
}

/** The pace for `count` requests under way `leftMs` before the first meets its deadline; unreachable without such time. */
function together({ limits }: Figures, count: number, leftMs = LEFT_MS): Pace {
  const { requestTimeoutMs: deadline = Infinity } = limits ?? {};
  const roomMs = Math.max(1, deadline - leftMs);
  const purpose = `have ${count} requests under way ${leftMs} ms before the first meets its deadline`;
  return { perSecond: (count / roomMs) * 1_000, purpose };
}

/** Why so many requests cannot be under way together, and the line that helps; undefined when they can. */
export function whyNotTogether(
  target: Figures,
  count: number,
  leftMs?: number,
): { readonly reason: string; readonly line: string } | undefined {
  const pace = together(target, count, leftMs);
  if (pace.perSecond <= target.budget.requestsPerSecond) return undefined;
  return { reason: `needs ${purposeOf(pace)}`, line: lineOf(pace) };
}

/** Throws `NotExercised` when so many requests cannot be under way together. */
export function requireTogether({ target }: { readonly target: Figures }, count: number): void {
  const why = whyNotTogether(target, count);
  if (why !== undefined) throw new NotExercised(why.reason, why.line);
}
