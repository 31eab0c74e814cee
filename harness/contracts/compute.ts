/** The descriptor of the compute contract: its address and keys, and where the rest of what is particular to it is. */

import { query } from 'jsonpath-rfc9535';
import type { ComputeTarget } from '../../schemas/compute/target.ts';
import type { ContractModule } from './contract.ts';
import type { Explained } from '../target/explain-issue.ts';
import { listsSomething, showsData } from '../drivers/discovery/members.ts';
import { computeRepeat } from '../drivers/compute/api.ts';

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
  changes,
  repeat: computeRepeat({}),
  instances: {
    areMade: ({ consent, instances }) =>
      consent.terminate && instances?.provision !== undefined && !isIdList(instances.provision),
    mayBeRemoved: ({ bindings, consent }) => bindings?.terminate !== undefined && consent.terminate,
    async search(planned, signal) {
      const { searchTarget } = await import('../drivers/compute/sweep.ts');
      return searchTarget(planned, signal);
    },
    async remove(planned, leftovers, journal, signal) {
      const { sweepTarget } = await import('../drivers/compute/sweep.ts');
      return sweepTarget(planned, leftovers, journal, signal);
    },
  },
  async open(planned, run) {
    const { openComputeSession } = await import('../drivers/compute/session.ts');
    return openComputeSession(planned, run);
  },
  async checkUp(checkup, report) {
    const { checkCompute } = await import('../drivers/checkup/compute.ts');
    return checkCompute(checkup, report);
  },
  async discover(connection, onExchange) {
    const { discoverCompute } = await import('../drivers/discovery/compute.ts');
    return discoverCompute(connection, onExchange);
  },
  async traffic() {
    const { computeTraffic } = await import('../passive/compute.ts');
    return computeTraffic;
  },
  async reference() {
    const { computeReference } = await import('./references.ts');
    return computeReference;
  },
  async exporter() {
    const { computeJsonSchema, computeOpenApi } = await import('../export/compute.ts');
    return { openApi: computeOpenApi, jsonSchema: computeJsonSchema };
  },
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
    return [
      {
        path,
        part: 'value' as const,
        problem: `not a JSONPath: ${text}`,
        hint: 'Write it as in $.data[*].name; quote it when it has a * or brackets in it.',
      },
    ];
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

/** An instance has one role: what may be destroyed cannot also be one that is watched. */
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
      return [
        {
          path: ['instances', name, index],
          part: 'value' as const,
          problem: `the instance already stands under instances.${before}`,
          hint: 'Give it one role.',
        },
      ];
    }),
  );
}

function isIdList(provision: unknown): provision is readonly string[] {
  return Array.isArray(provision);
}
