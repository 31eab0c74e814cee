/** The daily token budget: a new UTC day gives it back. Seen by runs that begin shortly before midnight. */

import { clockAheadMs, untilMidnightMs } from '../../harness/checks/router/server-clock.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import { backNextDay, isOverBudget } from '../../harness/checks/limits/budget.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { overrun, smallRequest, spendKey } from '../../harness/drivers/router/overrun.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { retry } from '../../harness/runner/retry.ts';

/** Milliseconds for which a run waits for midnight. */
const MAX_WAIT_MS = 30_000;
/** Milliseconds by which clocks of a deployment may differ: so long before and after midnight either day may count. */
const CLOCKS_MS = 2_000;

function hoursAndMinutes(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export default routerSection('token-limit-rules', (test) => {
  test(
    'a spent budget is back when the next UTC day begins',
    {
      judges: ['router.token-limit-rules.budget-back-next-day'],
      waits: true,
      requests: 8,
    },
    async (t) => {
      const ahead = clockAheadMs(await t.api.models());
      if (ahead === undefined) {
        throw new NotExercised('no Date of an answer tells when the day of the deployment ends');
      }
      const toMidnightMs = (): number => untilMidnightMs(Date.now() + ahead);
      const waiting = toMidnightMs();
      if (waiting > MAX_WAIT_MS) {
        throw new NotExercised(
          `not exercised by time of day: midnight UTC is ${hoursAndMinutes(waiting)} away; a run that begins in the ${MAX_WAIT_MS / 1_000} seconds before it sees the day end`,
        );
      }
      const midnight = Date.now() + waiting;
      const key = await spendKey(t);
      const small = async () => smallRequest(t, key);
      await overrun(t, key);
      const spent = await small();
      if (!isOverBudget(spent)) {
        throw new Inconclusive(`the budget of a key could not be spent (${outcomeText(spent)})`);
      }
      if (Date.now() > midnight - CLOCKS_MS) {
        throw new Inconclusive('midnight came before the budget of a key was spent');
      }
      const last = await t.quietly(async () => {
        await pause(midnight + CLOCKS_MS - Date.now(), t.signal);
        return retry(t, 'nextDay', small, (exchange) => !isOverBudget(exchange));
      });
      t.judge('router.token-limit-rules.budget-back-next-day', backNextDay(last));
    },
  );
});
