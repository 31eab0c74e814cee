import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RouterApi } from './api.ts';
import { heldStream } from './held-stream.ts';

const list = [{ data: 'one' }];

/** A router that answers `exchange` while the engine still holds its stream. */
function answering(exchange: Exchange) {
  const api = {
    chat: async (_model: string, { onHead }: NonNullable<Parameters<RouterApi['chat']>[1]>) => {
      onHead?.(exchange.response?.status ?? 0);
      return Promise.resolve(exchange);
    },
  };
  const backend = {
    script: async () => Promise.resolve('s'),
    waitFor: async () => Promise.resolve({ hits: 1, held: 0, ended: 0 }),
    release: async () => Promise.resolve(),
    counts: async () => Promise.resolve({ hits: 1, held: 0, ended: 0 }),
  };
  const { signal } = new AbortController();
  return { api, backend, models: { chat: 'm' }, session: {}, signal };
}

const begun = async (exchange: Exchange): Promise<boolean> =>
  (await heldStream(answering(exchange), { events: list, at: { afterEvents: 1 }, whole: 1 })).began;

test('a stream has begun when the head of a success came while its engine held it', async () => {
  expect(await begun(sampleExchange({ status: 200 }))).toBe(true);
});

test('a deadline that passes while the router holds the stream back begins none', async () => {
  expect(await begun(sampleError(504, 'request_timeout'))).toBe(false);
});
