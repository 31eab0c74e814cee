/** The target file of a deployment, as a user would write it. */

import type { ComputeChoices } from './choices.ts';
import type { World } from './world.ts';

/** The key roles of a target file, beside `primary`. */
const roles = ['second', 'empty', 'forbidden'] as const;

type Keys = { primary: string } & Record<string, string | { key: string; instance: string }>;

/** A complete compute target file. It contains the keys, which are valid on loopback only. */
export function targetFile(baseUrl: string, world: World, choices: ComputeChoices) {
  const { presets, start, startOffered, regionsBody, getInstanceMember } = choices;
  const secretOf = (role: string): string | undefined =>
    world.keys.find((key) => key.role === role)?.secret;
  const keys: Keys = { primary: secretOf('primary') ?? '' };
  for (const role of roles) {
    const secret = secretOf(role);
    if (secret === undefined) continue;
    const instance = role === 'forbidden' ? stoppedOf(world, role) : undefined;
    keys[role] = instance === undefined ? secret : { key: secret, instance };
  }
  const unmapped = [
    ...new Set(
      world.presets.filter(({ region }) => region === undefined).map(({ location }) => location),
    ),
  ];
  const stopped = fixtures(world, 'STOPPED');
  const terminated = fixtures(world, 'TERMINATED');
  return {
    name: 'reference',
    contract: 'compute' as const,
    baseUrl,
    keys,
    bindings: {
      terminate: `POST ${choices.terminatePath}`,
      ...(startOffered ? { start: `${start.method} ${start.path}` } : {}),
      getInstance: { record: getInstanceMember === undefined ? '$' : `$.${getInstanceMember}` },
      regions: {
        codes: `$${regionsBody.member === undefined ? '' : `.${regionsBody.member}`}[*]${
          regionsBody.item === undefined ? '' : `.${regionsBody.item}`
        }`,
      },
      presets: {
        items: presets.items,
        filters: { sku: presets.skuFilter, freeText: presets.freeTextFilter },
        fields: fieldBindings(choices),
      },
      ...(unmapped.length === 0 ? {} : { locations: { unmapped } }),
    },
    instances: {
      provision: { request: 'POST /_provision', id: '$.id' },
      ...(stopped.length === 0 ? {} : { stopped }),
      ...(terminated.length === 0 ? {} : { terminated }),
    },
    consent: { stop: true, terminate: true, exhaustRateLimit: true, saturate: true },
    budget: {
      requests: 20_000,
      minutes: 10,
      concurrency: 8,
      requestsPerSecond: 'unlimited' as const,
    },
  };
}

function fieldBindings({ presets }: ComputeChoices) {
  const { fields, shape, unbound } = presets;
  const inHardware = new Set(['gpu', 'gpuCount', 'cpu', 'memory', 'storage']);
  const bound = Object.entries(fields).filter(([field]) => !unbound.some((one) => one === field));
  return Object.fromEntries(
    bound.map(([field, name]) => [
      field,
      shape === 'nested' && inHardware.has(field) ? `$.hardware.${name}` : name,
    ]),
  );
}

export type ComputeTargetFile = ReturnType<typeof targetFile>;

function stoppedOf(world: World, role: string): string | undefined {
  return world.accountOf(role).instances.find(({ state }) => state === 'STOPPED')?.id;
}

function fixtures(world: World, state: 'STOPPED' | 'TERMINATED'): readonly string[] {
  return world
    .accountOf('primary')
    .instances.filter((instance) => instance.origin === 'fixture' && instance.state === state)
    .map(({ id }) => id);
}
