import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { servedAfterReturn } from './agents.ts';
import type { RouterContext } from './session.ts';

const lost = sampleError(503, 'agent_disconnected');
const served = sampleExchange();

/** A router whose agent was away; `answer` gives the response to a request by its number since then, from 1. */
function router(answer: (since: number, returns: number) => typeof served) {
  let since = 0;
  let returns = 0;
  const fake: Pick<RouterContext, 'signal' | 'models'> &
    Record<'api' | 'backend' | 'limits' | 'session', object> = {
    signal: new AbortController().signal,
    models: {},
    limits: {},
    session: {},
    api: {
      infer: async () => {
        since += 1;
        return returns === 0 ? served : answer(since, returns);
      },
    },
    backend: { script: async () => 'script', counts: async () => ({ hits: 1 }) },
  };
  const hook = async (name: string): Promise<void> => {
    if (name !== 'reconnectAgent') return;
    returns += 1;
    since = 0;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of a context is used
  return { ...fake, hook } as unknown as RouterContext;
}

test.each<[string, Parameters<typeof router>[0], object]>([
  ['that is dialled again serves the first', () => served, { seen: 1, violations: [] }],
  [
    'that was not ready at once serves the first the next time',
    (since, returns) => (returns === 1 && since === 1 ? lost : served),
    { seen: 1, violations: [] },
  ],
  [
    'that is lost to each first one is not dialled again for it',
    (since) => (since === 1 ? lost : served),
    { violations: [expect.anything()] },
  ],
])('an agent %s', async (_, answer, expected) => {
  expect(await servedAfterReturn(router(answer), 'a', { route: 'chat' })).toMatchObject(expected);
});

test('a kind of request that is never served shows nothing', async () => {
  const never: RouterContext = router(() => served);
  Object.assign(never.api, { infer: async () => lost });
  expect((await servedAfterReturn(never, 'a', { route: 'chat' })).seen).toBe(0);
});
