/** The descriptor of the router contract: its address and keys, and imports of its other modules. */

import { showsData } from '../drivers/discovery/members.ts';
import type { RouterTarget } from '../../schemas/router/target.ts';
import type { ContractModule } from './contract.ts';
import { type Explained, wrongValue } from '../target/explain-issue.ts';
import type { Keyring } from '../target/keys.ts';
import { tooSlow } from '../drivers/router/pace.ts';
import { routerRepeat } from '../drivers/router/repeat.ts';
import { routerWaits } from '../runner/waits.ts';

export const routerContract: ContractModule<RouterTarget> = {
  address: {
    example: 'https://router.example.com',
    ending: 'it goes without /v1',
    problem: (path) =>
      path.endsWith('/v1')
        ? {
            problem:
              'the base URL of a router target stands without /v1, since /admin lies beside it',
            right: path.slice(0, -'/v1'.length),
          }
        : undefined,
  },
  keys: ['client', 'second'],
  probes: [{ path: '/v1/models', query: '', shows: 'list of models', isShown: showsData }],
  contradictions: (target, keys) => [
    ...hidden(target, keys),
    ...ports(target),
    ...sharedModels(target),
  ],
  tooSlow,
  waits: routerWaits,
  changes,
  isHarmless: (method, path) => method === 'POST' && path.startsWith('/v1/'),
  repeat: routerRepeat,
  open: async (...given) =>
    (await import('../drivers/router/session.ts')).openRouterSession(...given),
  checkUp: async (...given) => (await import('../drivers/checkup/router.ts')).checkRouter(...given),
  async foreign(connection, { baseUrl, keys }) {
    if (keys.client === undefined) return undefined;
    const { foreignRouter } = await import('../drivers/checkup/router.ts');
    return foreignRouter(connection, baseUrl);
  },
  async surroundings({ backend }) {
    if (backend === undefined) return undefined;
    const { engineProblem } = await import('../drivers/checkup/engine.ts');
    return engineProblem(backend);
  },
  discover: async (...given) =>
    (await import('../drivers/discovery/router.ts')).discoverRouter(...given),
  traffic: async () => (await import('../passive/router.ts')).routerTraffic,
  reference: async () => (await import('./references.ts')).routerReference,
  exporter: async () => (await import('../export/router.ts')).routerExporter,
};

function changes(target: RouterTarget, uses: (need: string) => number): readonly string[] {
  const consequences: readonly (readonly [need: string, change: string])[] = [
    ['keys.tokensPerDay', 'the daily token budgets of the listed keys are spent'],
    ['keys.requestsPerMinute', 'a request quota is used up'],
    ['hooks.disconnectAgent', 'an agent is taken away and brought back by the hooks'],
    ['consent.saturate', 'the whole router is filled for up to half a minute'],
  ];
  return [
    Object.values(target.models ?? {}).length > 0
      ? 'inference requests are sent to the models that the target file names'
      : 'a few small inference requests are sent to the first model, by name, that the client key sees',
    ...consequences.flatMap(([need, change]) => (uses(need) > 0 ? [change] : [])),
  ];
}

function hidden({ models }: RouterTarget, keys: Keyring): readonly Explained[] {
  const from = models?.hidden?.from;
  if (from === undefined || keys.has(from)) return [];
  const hint = `Name one of the keys of this file: ${[...keys.keys()].join(', ')}.`;
  return [wrongValue(['models', 'hidden', 'from'], `there is no key ${from}`, hint)];
}

/** Roles that may share a model, since each only needs a model that serves; every other role needs a separate model. */
const plainRoles: ReadonlySet<string> = new Set([
  'chat',
  'embedding',
  'reranker',
  'pair',
  'calm',
  'capped',
]);

/** Problems with a model in two roles that contradict each other, for example by a limit, a provider or no agents. */
function sharedModels({ models = {} }: RouterTarget): readonly Explained[] {
  const roles = Object.entries(models).flatMap(([role, model]) => {
    const id = typeof model === 'string' ? model : model?.id;
    const path = ['models', role, ...(typeof model === 'string' ? [] : ['id'])];
    return id === undefined ? [] : [{ role, id, path }];
  });
  return roles.flatMap(({ role, id, path }, index) => {
    const other = roles
      .slice(0, index)
      .find((one) => one.id === id && !(plainRoles.has(one.role) && plainRoles.has(role)));
    // The role `hidden` needs nothing of how the model serves, so it fits every other role.
    if (other === undefined || [role, other.role].includes('hidden')) return [];
    const hint = 'Use another model, or leave this one out: what needs it is then not exercised.';
    return [wrongValue(path, `the same model as models.${other.role}`, hint)];
  });
}

const HIGHEST_PORT = 65_535;

function ports({ backend }: RouterTarget): readonly Explained[] {
  const listen = backend !== undefined && 'listen' in backend ? backend.listen : [];
  return listen.flatMap((address, index) => {
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    if (port >= 1 && port <= HIGHEST_PORT) return [];
    const hint = 'Write a port from 1 to 65535, the one at which the agents expect the engine.';
    return [wrongValue(['backend', 'listen', index], `no usable port: ${port}`, hint)];
  });
}
