/** The descriptor of the compute contract: its address and keys, and imports of its other modules. */

import { query } from 'jsonpath-rfc9535';
import { type ComputeTarget, isIdList } from '../../schemas/compute/target.ts';
import type { ContractModule } from './contract.ts';
import { type Explained, wrongValue } from '../target/explain-issue.ts';
import { listsSomething, showsData } from '../drivers/discovery/members.ts';
import { computeRepeat } from '../drivers/compute/api.ts';
import { computeWaits } from '../runner/waits.ts';

export const computeContract: ContractModule<ComputeTarget> = {
  address: {
    example: 'https://compute.example.com/v1',
    ending: 'it ends in /v1',
    problem: (path) =>
      path.endsWith('/v1')
        ? undefined
        : { problem: 'the base URL of a compute target ends in /v1', right: `${path}/v1` },
  },
  keys: ['primary', 'second', 'empty'],
  probes: [
    { path: '/instances', query: 'size=1', shows: 'list of instances', isShown: showsData },
    { path: '/regions', query: '', shows: 'list of regions', isShown: listsSomething },
    { path: '/presets', query: 'size=1', shows: 'list of presets', isShown: listsSomething },
  ],
  contradictions: (target) => [...paths(target), ...twice(target)],
  waits: computeWaits,
  changes,
  repeat: computeRepeat({}),
  instances: {
    areMade: ({ consent, instances }) =>
      consent.terminate && instances?.provision !== undefined && !isIdList(instances.provision),
    mayBeRemoved: ({ bindings, consent }) => bindings?.terminate !== undefined && consent.terminate,
    search: async (...given) =>
      (await import('../drivers/compute/sweep.ts')).searchTarget(...given),
    remove: async (...given) => (await import('../drivers/compute/sweep.ts')).sweepTarget(...given),
  },
  open: async (...given) =>
    (await import('../drivers/compute/session.ts')).openComputeSession(...given),
  checkUp: async (...given) =>
    (await import('../drivers/checkup/compute.ts')).checkCompute(...given),
  discover: async (...given) =>
    (await import('../drivers/discovery/compute.ts')).discoverCompute(...given),
  traffic: async () => (await import('../passive/compute.ts')).computeTraffic,
  reference: async () => (await import('./references.ts')).computeReference,
  exporter: async () => (await import('../export/compute.ts')).computeExporter,
};

function changes(target: ComputeTarget, uses: (need: string) => number): readonly string[] {
  const provision = target.instances?.provision;
  const disposable = uses('instances.provision');
  return [
    ...(provision === undefined || disposable === 0
      ? []
      : [
          isIdList(provision)
            ? `the ${provision.length} listed disposable instances may be stopped and destroyed`
            : `instances are made, stopped and destroyed, for ${disposable} cases and one for each value that a lifecycle property tries`,
        ]),
    ...(uses('instances.stopped') > 0 ? ['stopped instances are asked to stop again'] : []),
    ...(uses('consent.exhaustRateLimit') > 0 ? ['the rate limit of a key is used up'] : []),
  ];
}

function paths({ bindings, instances }: ComputeTarget): readonly Explained[] {
  const provision = instances?.provision;
  const named: readonly (readonly [path: readonly string[], text: string | undefined])[] = [
    [['bindings', 'getInstance', 'record'], bindings?.getInstance?.record],
    [['bindings', 'regions', 'codes'], bindings?.regions?.codes],
    [['bindings', 'presets', 'items'], bindings?.presets?.items],
    ...Object.entries(bindings?.presets?.fields ?? {}).map(
      ([field, text]) => [['bindings', 'presets', 'fields', field], text] as const,
    ),
    [
      ['instances', 'provision', 'id'],
      provision !== undefined && 'id' in provision ? provision.id : undefined,
    ],
  ];
  return named.flatMap(([path, text]) => {
    if (text === undefined || !text.startsWith('$') || isJsonPath(text)) return [];
    const hint = 'Write it as in $.data[*].name; quote it when it has a * or brackets in it.';
    return [wrongValue(path, `not a JSONPath: ${text}`, hint)];
  });
}

function isJsonPath(text: string): boolean {
  try {
    query(null, text);
    return true;
  } catch {
    return false;
  }
}

/** Problems with instances in two roles: a disposable instance cannot also be a fixture that must stay. */
function twice({ instances }: ComputeTarget): readonly Explained[] {
  const provision = instances?.provision;
  const seen = new Map<string, string>();
  const lists: readonly (readonly [name: string, ids: readonly string[]])[] = [
    ['provision', isIdList(provision) ? provision : []],
    ['stopped', instances?.stopped ?? []],
    ['terminated', instances?.terminated ?? []],
  ];
  return lists.flatMap(([name, ids]) =>
    ids.flatMap((id, index) => {
      const before = seen.get(id.toLowerCase());
      seen.set(id.toLowerCase(), name);
      if (before === undefined) return [];
      const problem = `the instance already stands under instances.${before}`;
      return [wrongValue(['instances', name, index], problem, 'Give it one role.')];
    }),
  );
}
