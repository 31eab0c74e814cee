/** What a requirement of the compute contract can need from a target file, and the levels built from these needs. */

import { implied, type Level, needs, open, stated } from '../requirement.ts';

export const computeNeeds = needs({
  'keys.second': [
    'a key of a second account, to see that accounts are kept apart',
    '${COMPUTE_KEY_OTHER_ACCOUNT}',
  ],
  'keys.empty': ['a key of an account without instances', '${COMPUTE_KEY_EMPTY_ACCOUNT}'],
  'keys.forbidden': ['a valid key that access policy refuses', '${COMPUTE_KEY_FORBIDDEN}'],
  'keys.forbidden.instance': {
    purpose: 'a key that may read and not act, and a stopped instance of its account',
    line: 'keys: { forbidden: { key: ${COMPUTE_KEY_FORBIDDEN}, instance: 6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11 } }',
  },
  'bindings.terminate': ['the path of the terminate operation', 'POST /instances/{id}/terminate'],
  'bindings.start': ['the method and path of the start operation', 'POST /instances/{id}/start'],
  'bindings.getInstance.record': ['where the body of one instance holds its record', '$'],
  'bindings.regions.codes': ['where the regions body holds the codes', '"$[*].name"'],
  'bindings.presets.items': ['the name of the array that holds the presets', 'data'],
  'bindings.presets.filters.sku': ['the name of the SKU filter of the presets', 'sku'],
  'bindings.presets.filters.freeText': [
    'the name of the free-text filter of the presets',
    'free_text_search',
  ],
  'bindings.presets.fields.id': ['the field of a preset that identifies it', 'id'],
  'bindings.presets.fields.sku': ['the field of a preset that holds its SKU name', 'name'],
  'bindings.presets.fields.region': ['the field of a preset that holds its region', 'region'],
  'bindings.presets.fields.location': [
    'the field of a preset that holds its datacenter location',
    'location',
  ],
  'bindings.presets.fields.gpu': ['the field of a preset that holds its GPU model', 'gpu'],
  'bindings.presets.fields.gpuCount': [
    'the field of a preset that holds how many GPUs it has',
    'gpu_count',
  ],
  'bindings.presets.fields.cpu': ['the field of a preset that holds its CPU count', 'cpu'],
  'bindings.presets.fields.memory': ['the field of a preset that holds its memory', 'memory'],
  'bindings.presets.fields.storage': ['the field of a preset that holds its storage', 'storage'],
  'bindings.presets.fields.price': [
    'the field of a preset that holds its hourly price',
    'hourly_price',
  ],
  'bindings.locations.unmapped': ['a datacenter location that belongs to no region', '[ lab-1 ]'],
  'instances.provision': [
    'instances that may be stopped or destroyed: a way to make them, or a list of disposable ids',
    '{ command: ./make-instance.sh }',
  ],
  'instances.stopped': [
    'an instance that is already stopped',
    '[ 00000000-0000-4000-8000-000000000000 ]',
    ['instances.provision', 'consent.stop'],
  ],
  'instances.terminated': [
    'an instance that is already terminated',
    '[ 00000000-0000-4000-8000-000000000000 ]',
    ['instances.provision', 'consent.terminate', 'bindings.terminate'],
  ],
  'consent.stop': ['permission to stop disposable instances', 'true'],
  'consent.terminate': ['permission to destroy disposable instances', 'true'],
  'consent.exhaustRateLimit': ['permission to exhaust the rate limit of a key', 'true'],
});

export type ComputeNeed = keyof typeof computeNeeds;

/** True for a need of the compute contract. */
export function isComputeNeed(name: string): name is ComputeNeed {
  return Object.hasOwn(computeNeeds, name);
}

/** Levels of the contract, each defined by what a target file must offer for it. */
export const computeLevels = [
  {
    name: 'read-only',
    summary: 'Everything that shows without changing any instance.',
    adds: [
      'keys.second',
      'keys.empty',
      'bindings.getInstance.record',
      'bindings.regions.codes',
      'bindings.presets.items',
      'bindings.presets.filters.sku',
      'bindings.presets.filters.freeText',
      'bindings.presets.fields.id',
      'bindings.presets.fields.sku',
      'bindings.presets.fields.region',
      'bindings.presets.fields.location',
      'bindings.presets.fields.gpu',
      'bindings.presets.fields.gpuCount',
      'bindings.presets.fields.cpu',
      'bindings.presets.fields.memory',
      'bindings.presets.fields.storage',
      'bindings.presets.fields.price',
      'instances.terminated',
    ],
  },
  {
    name: 'lifecycle',
    summary: 'Instances can also be stopped, started and destroyed as the contract says.',
    adds: [
      'bindings.terminate',
      'bindings.start',
      'instances.provision',
      'instances.stopped',
      'consent.stop',
      'consent.terminate',
    ],
  },
  {
    name: 'complete',
    summary: 'All of the contract, with what takes a spent rate limit or a special key.',
    adds: [
      'keys.forbidden',
      'keys.forbidden.instance',
      'bindings.locations.unmapped',
      'consent.exhaustRateLimit',
    ],
  },
] as const satisfies readonly Level<ComputeNeed>[];

type Say = typeof stated;

/** The words of the catalogue, for requirements that have needs in common. */
interface Needing {
  readonly needs: readonly ComputeNeed[];
  readonly stated: Say;
  readonly implied: Say;
  readonly open: Say;
}

/** Requirements with these needs; what one of them names itself replaces them. */
export function needing(...common: readonly ComputeNeed[]): Needing {
  const saying =
    (say: Say['universal']): Say['universal'] =>
    (statement, conditions = common) =>
      say(statement, 'length' in conditions ? conditions : { needs: common, ...conditions });
  const both = (say: Say): Say => Object.assign(saying(say), { universal: saying(say.universal) });
  return { needs: common, stated: both(stated), implied: both(implied), open: both(open) };
}

/** On an instance that is stopped, on one that runs, and on one that may be destroyed. */
export const stopped = needing('instances.stopped', 'consent.stop');
export const running = needing('instances.provision', 'consent.stop');
export const disposable = needing('instances.provision', 'consent.terminate', 'bindings.terminate');
