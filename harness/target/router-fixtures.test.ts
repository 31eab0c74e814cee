import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckLine, checkUp } from '../contracts/preflight.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { startScriptedBackend } from '../backend/scripted-backend.ts';
import type { AgentEntry, Deployment, KeyEntry, ModelEntry } from '../reference/router/model.ts';
import { startRouter } from '../reference/router/start.ts';
import { asTargetFile } from './draft.ts';
import { fixtureTables } from '../cli/commands/fixtures.ts';
import {
  type AgentFixture,
  type FixtureAnswers,
  type KeyFixture,
  type ModelFixture,
  routerFixtures,
  targetOfFixtures,
} from './router-fixtures.ts';

const secretOf = (name: string): string => `secret-of-${name}`;
/** The members that are not undefined. */
const said = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** A key of the description as a configuration entry of the embedded reference router. */
function keyEntry(key: KeyFixture): KeyEntry {
  const { name, state, may, allows, requestsPerMinutePerReplica, tokensPerDay, perModel } = key;
  return {
    name,
    secret: secretOf(key.secretFrom),
    role: may,
    state: state === 'expired' ? 'active' : state,
    ...(state === 'expired' ? { expiresAt: Date.UTC(2020, 0) } : {}),
    ...said({ allows, requestsPerMinute: requestsPerMinutePerReplica, tokensPerDay, perModel }),
  };
}

function agentEntry({ name, engine, capacity, state }: AgentFixture): AgentEntry {
  return {
    name,
    engine,
    capacity,
    state: state === 'draining' ? 'draining' : 'ready',
    reachable: state !== 'unreachable',
  };
}

/** Thresholds of engine pressure that are always, and never, reached. */
const THRESHOLDS = { always: 0, never: 1_000_000 } as const;

function modelEntry(model: ModelFixture): ModelEntry {
  const { id, serves, steps, queue, hiddenFromKeys, sheds, provider } = model;
  const { maxInputTokens, imagesMax, maxInflight, occupancyTokens, serverless } = model;
  const shedIfPressure = sheds && THRESHOLDS[sheds];
  const caps = { maxInputTokens, imagesMax, maxInflight, occupancyTokens };
  return {
    id,
    capabilities: [serves],
    steps,
    capacityQueue: queue,
    ...said({ hiddenFrom: hiddenFromKeys, shedIfPressure, provider, serverless, ...caps }),
  };
}

let backend: Awaited<ReturnType<typeof startScriptedBackend>>;
let router: Awaited<ReturnType<typeof startRouter>>;
let answers: FixtureAnswers;
beforeAll(async () => {
  backend = await startScriptedBackend({
    listen: ['127.0.0.1:0', '127.0.0.1:0'],
    control: '127.0.0.1:0',
  });
  const [first = '', second = ''] = backend.listeners.map((url) => new URL(url).host);
  answers = {
    baseUrl: 'http://127.0.0.1:1',
    engines: [first, second],
    control: backend.controlUrl ?? '',
    prefix: 'proof-',
    replicas: 1,
  };
  const { keys, agents, models, limits } = routerFixtures(answers);
  const { replicas: _, ...ours } = limits;
  router = await startRouter({
    engines: backend.listeners,
    configure: (usual): Deployment => ({
      keys: keys.map(keyEntry),
      agents: agents.map(agentEntry),
      models: models.map(modelEntry),
      limits: { ...usual.limits, ...ours },
    }),
  });
  answers = { ...answers, baseUrl: router.baseUrl };
});
afterAll(async () => {
  await router.close();
  await backend.close();
});

/** An environment with every key of the description. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    routerFixtures(answers).keys.map(({ secretFrom }) => [secretFrom, secretOf(secretFrom)]),
  );

test('a router that is set up as described fits the target file that belongs to it', async () => {
  const file = asTargetFile(targetOfFixtures(answers));
  const lines: CheckLine[] = [];
  await checkUp(parseTarget(file, 'target.yaml', environment()), (line) => lines.push(line));
  expect(lines.filter(({ mark }) => mark === 'wrong')).toEqual([]);
  const engine = lines.filter(({ subject }) => subject.endsWith('at the engine'));
  expect(engine).toHaveLength(18);
});

test('a router that lacks a model does not', async () => {
  const file = asTargetFile(targetOfFixtures({ ...answers, prefix: 'other-' }));
  const secrets = Object.fromEntries(
    Object.entries(environment()).map(([name, value]) => [name.replace('PROOF', 'OTHER'), value]),
  );
  const lines: CheckLine[] = [];
  await checkUp(parseTarget(file, 'target.yaml', secrets), (line) => lines.push(line));
  const wrong = lines.filter(({ mark }) => mark === 'wrong').map(({ subject }) => subject);
  expect(wrong).toContain('models.pair');
  expect(wrong).toContain('models.chat at the engine');
});

test('the figures fit together', () => {
  const { limits, fleet, agents, models, keys } = routerFixtures(answers);
  expect(limits.requestTimeoutMs).toBeGreaterThan(5_500 + 2 * limits.parkTimeoutMs);
  expect(fleet.leftOutAfterFailureMs).toBeLessThanOrEqual(1_000);
  const plain = agents.find(({ name }) => name === 'proof-north');
  expect(plain?.capacity).toBeGreaterThan(limits.maxConcurrent + limits.queueSize);
  const rates = models.find(({ role }) => role === 'serverless')?.serverless;
  expect(rates?.inputTokensPerMinute).toBeGreaterThan(8 * (rates?.occupancyShare ?? Infinity));
  expect(new Set(keys.map(({ owner }) => owner)).size).toBe(keys.length);
  const named = new Set(agents.map(({ name }) => name));
  const used = models.flatMap(({ steps }) => steps.flatMap((step) => step.agents));
  expect(used.filter((name) => !named.has(name))).toEqual([]);
});

test('the page has a row for every agent, model and key, and no word of the reference', () => {
  const described = routerFixtures(answers);
  const page = fixtureTables(described);
  for (const { name } of [...described.agents, ...described.keys])
    expect(page).toContain(`| ${name} |`);
  for (const { id } of described.models) expect(page).toContain(`| ${id} |`);
  expect(page).not.toContain('[object');
});
