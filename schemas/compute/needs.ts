/** What a requirement of the compute contract can need from a target file, and the levels that this makes. */

import type { Level, Needs } from '../requirement.ts';

export const computeNeeds = {
  'keys.second': {
    purpose: 'a key of a second account, to see that accounts are kept apart',
    line: 'keys: { second: ${COMPUTE_KEY_OTHER_ACCOUNT} }',
  },
  'keys.empty': {
    purpose: 'a key of an account without instances',
    line: 'keys: { empty: ${COMPUTE_KEY_EMPTY_ACCOUNT} }',
  },
  'keys.forbidden': {
    purpose: 'a valid key that access policy refuses',
    line: 'keys: { forbidden: ${COMPUTE_KEY_FORBIDDEN} }',
  },
  'keys.forbidden.instance': {
    purpose: 'a key that may read and not act, and a stopped instance of its account',
    line: 'keys: { forbidden: { key: ${COMPUTE_KEY_FORBIDDEN}, instance: 6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11 } }',
  },
  'bindings.terminate': {
    purpose: 'the path of the terminate operation',
    line: 'bindings: { terminate: POST /instances/{id}/terminate }',
  },
  'bindings.start': {
    purpose: 'the method and path of the start operation',
    line: 'bindings: { start: POST /instances/{id}/start }',
  },
  'bindings.getInstance.record': {
    purpose: 'where the body of one instance holds its record',
    line: 'bindings: { getInstance: { record: $ } }',
  },
  'bindings.regions.codes': {
    purpose: 'where the regions body holds the codes',
    line: 'bindings: { regions: { codes: "$[*].name" } }',
  },
  'bindings.presets.items': {
    purpose: 'the name of the array that holds the presets',
    line: 'bindings: { presets: { items: data } }',
  },
  'bindings.presets.filters.sku': {
    purpose: 'the name of the SKU filter of the presets',
    line: 'bindings: { presets: { filters: { sku: sku } } }',
  },
  'bindings.presets.filters.freeText': {
    purpose: 'the name of the free-text filter of the presets',
    line: 'bindings: { presets: { filters: { freeText: free_text_search } } }',
  },
  'bindings.presets.fields.id': {
    purpose: 'the field of a preset that identifies it',
    line: 'bindings: { presets: { fields: { id: id } } }',
  },
  'bindings.presets.fields.sku': {
    purpose: 'the field of a preset that holds its SKU name',
    line: 'bindings: { presets: { fields: { sku: name } } }',
  },
  'bindings.presets.fields.region': {
    purpose: 'the field of a preset that holds its region',
    line: 'bindings: { presets: { fields: { region: region } } }',
  },
  'bindings.presets.fields.location': {
    purpose: 'the field of a preset that holds its datacenter location',
    line: 'bindings: { presets: { fields: { location: location } } }',
  },
  'bindings.presets.fields.gpu': {
    purpose: 'the field of a preset that holds its GPU model',
    line: 'bindings: { presets: { fields: { gpu: gpu } } }',
  },
  'bindings.presets.fields.gpuCount': {
    purpose: 'the field of a preset that holds how many GPUs it has',
    line: 'bindings: { presets: { fields: { gpuCount: gpu_count } } }',
  },
  'bindings.presets.fields.cpu': {
    purpose: 'the field of a preset that holds its CPU count',
    line: 'bindings: { presets: { fields: { cpu: cpu } } }',
  },
  'bindings.presets.fields.memory': {
    purpose: 'the field of a preset that holds its memory',
    line: 'bindings: { presets: { fields: { memory: memory } } }',
  },
  'bindings.presets.fields.storage': {
    purpose: 'the field of a preset that holds its storage',
    line: 'bindings: { presets: { fields: { storage: storage } } }',
  },
  'bindings.presets.fields.price': {
    purpose: 'the field of a preset that holds its hourly price',
    line: 'bindings: { presets: { fields: { price: hourly_price } } }',
  },
  'bindings.locations.unmapped': {
    purpose: 'a datacenter location that belongs to no region',
    line: 'bindings: { locations: { unmapped: [ lab-1 ] } }',
  },
  'instances.provision': {
    purpose:
      'instances that may be stopped or destroyed: a way to make them, or a list of disposable ids',
    line: 'instances: { provision: { command: ./make-instance.sh } }',
  },
  'instances.stopped': {
    purpose: 'an instance that is already stopped',
    or: ['instances.provision', 'consent.stop'],
    line: 'instances: { stopped: [ 00000000-0000-4000-8000-000000000000 ] }',
  },
  'instances.terminated': {
    purpose: 'an instance that is already terminated',
    or: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
    line: 'instances: { terminated: [ 00000000-0000-4000-8000-000000000000 ] }',
  },
  'consent.stop': {
    purpose: 'permission to stop disposable instances',
    line: 'consent: { stop: true }',
  },
  'consent.terminate': {
    purpose: 'permission to destroy disposable instances',
    line: 'consent: { terminate: true }',
  },
  'consent.exhaustRateLimit': {
    purpose: 'permission to exhaust the rate limit of a key',
    line: 'consent: { exhaustRateLimit: true }',
  },
} as const satisfies Needs;

export type ComputeNeed = keyof typeof computeNeeds;

/** True for a need of the compute contract. */
export function isComputeNeed(name: string): name is ComputeNeed {
  return Object.hasOwn(computeNeeds, name);
}

/** Levels of the contract, each named by what a target file must offer for it. */
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
