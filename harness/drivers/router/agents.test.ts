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

const chat = { route: 'chat' } as const;

test('an agent that is dialled again serves the first request', async () => {
  const judgement = await servedAfterReturn(
    router(() => served),
    'a',
    chat,
  );
  expect(judgement).toMatchObject({ seen: 1, violations: [] });
});

test('an agent that was not ready at once serves the first request the next time', async () => {
  const judgement = await servedAfterReturn(
    router((since, returns) => (returns === 1 && since === 1 ? lost : served)),
    'a',
    chat,
  );
  expect(judgement).toMatchObject({ seen: 1, violations: [] });
});

test('an agent that is lost to each first request is not dialled again for it', async () => {
  const judgement = await servedAfterReturn(
    router((since) => (since === 1 ? lost : served)),
    'a',
    chat,
  );
  expect(judgement.violations).toHaveLength(1);
});

test('a kind of request that is never served shows nothing', async () => {
  const never: RouterContext = router(() => served);
  Object.assign(never.api, { infer: async () => lost });
  expect((await servedAfterReturn(never, 'a', chat)).seen).toBe(0);
});
