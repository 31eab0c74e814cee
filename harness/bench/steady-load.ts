/** Requests at a steady rate, whatever became of the ones before, and how long each took. */

import { Agent } from 'undici';

export interface SteadyLoad {
  readonly url: string;
  readonly key: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Milliseconds from when each request was due to its last byte, ascending. */
export async function steadyLoad({
  url,
  key,
  perSecond,
  seconds,
}: SteadyLoad): Promise<readonly number[]> {
  const agent = new Agent({ allowH2: false, pipelining: 1 });
  const { origin, pathname, search } = new URL(url);
  const headers = { authorization: `Bearer ${key}` };
  const taken: number[] = [];
  const underWay: Promise<void>[] = [];
  const one = async (due: number): Promise<void> => {
    const { body } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'GET',
      headers,
    });
    for await (const piece of body) void piece;
    taken.push(performance.now() - due);
  };
  const from = performance.now();
  const total = perSecond * seconds;
  let sent = 0;
  await new Promise<void>((done) => {
    const tick = setInterval(() => {
      // A timer that came late sends what is due by now: waiting would hide the very delay that is measured.
      const now = performance.now();
      while (sent < total && from + (sent * 1_000) / perSecond <= now) {
        underWay.push(one(now));
        sent += 1;
      }
      if (sent < total) return;
      clearInterval(tick);
      done();
    }, 1);
  });
  await Promise.all(underWay);
  await agent.close();
  return taken.toSorted((left, right) => left - right);
}

/** The value below which `share` of an ascending list lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
