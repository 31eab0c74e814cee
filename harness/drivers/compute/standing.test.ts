import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Watching } from './instance-probe.ts';
import { StandingInstances } from './standing.ts';
import { watchingWith } from './watching.test.support.ts';

const ID = '0b0f5a4e-2f5e-4f0e-9a51-2d1d1f3c7a10';
const LINES = `consent: { stop: true }
instances: { terminated: [${ID}] }`;

/** What a deployment shows of the instance, and how it answers a stop of it. */
interface Shown {
  readonly status?: string;
  readonly get?: number;
  readonly amongTerminated?: boolean;
  readonly stop?: number;
}

async function terminated({ status, get = 404, amongTerminated = false, stop = 404 }: Shown) {
  let stops = 0;
  const answering = (code: number) => async () => exchangeOf({ status: code });
  const data = amongTerminated ? [{ instance_id: ID, status: 'TERMINATED' }] : [];
  const given: Partial<Watching> = {
    api: {
      get: answering(get),
      list: async () => exchangeOf({ body: { data } }),
      start: answering(404),
      stop: async () => {
        stops += 1;
        return exchangeOf({ status: stop });
      },
      terminate: answering(404),
      mayHaveStopped: () => false,
    },
    observe: async () =>
      status === undefined ? undefined : { status, record: {}, exchange: exchangeOf() },
  };
  const t = watchingWith(given, LINES);
  return { id: await new StandingInstances().terminated(t), stops };
}

describe('a terminated instance of the target file', () => {
  test.for([
    ['is seen', { status: 'TERMINATED' }, 0],
    ['is listed among the terminated alone', { amongTerminated: true }, 0],
    ['can be read, where nobody knows its record', { get: 200 }, 0],
    ['is hidden, and a stop of it is told from one of nothing', { stop: 409 }, 1],
    ['is hidden, and the service has other troubles', { stop: 500 }, 1],
  ] as const)('that %s is used', async ([, shown, stops]) => {
    expect(await terminated(shown)).toEqual({ id: ID, stops });
  });

  test('that nothing tells from an id that never was is not used, and named', async () => {
    await expect(terminated({})).rejects.toMatchObject({
      name: 'NotExercised',
      message: expect.stringContaining(`instances.terminated names ${ID}`),
    });
  });

  test('that lives is not used', async () => {
    const lives = terminated({ status: 'STOPPED' });
    await expect(lives).rejects.toThrow(`names ${ID}, which is STOPPED`);
  });
});
