import { expect, test } from 'vitest';
import { runConformance } from '../../cli/library/run-conformance.ts';
import { startRouter } from '../../reference/router/start.ts';
import type { Deployment } from '../../reference/router/model.ts';

const ONLY = ['router.endpoints.responses-not-found'];

/** Runs a case against a router whose list of models changes its order. */
async function run(order: (models: Deployment['models']) => Deployment['models']) {
  const router = await startRouter({
    engines: ['http://127.0.0.1:9'],
    configure: (usual) => ({ ...usual, models: order(usual.models) }),
  });
  const { keys } = router.target();
  try {
    const target = {
      contract: 'router',
      baseUrl: router.baseUrl,
      keys: { client: String(keys['client']) },
    } as const;
    return await runConformance(target, { only: ONLY, seed: 1 });
  } finally {
    await router.close();
  }
}

test('without models.chat one model is asked, the same in whatever order the list comes, and the report says which', async () => {
  const told = 'Plain requests go to scripted-bounded, the first model by name';
  for (const order of [
    (models: Deployment['models']) => models,
    (models: Deployment['models']) => models.toReversed(),
  ]) {
    const report = await run(order);
    expect(report.targets[0]?.notes?.join()).toContain(told);
  }
});
