/** The target file of a compute deployment, with bindings for what the contract leaves open: paths, bodies and names. */

import { z } from 'zod';
import { type Completed, command, everyTarget, key, list, type Target, text } from '../target.ts';

const instanceId = z.guid().meta({ description: 'The id of an instance.' });

const jsonPath = z
  .string()
  .regex(/^\$/u, 'a JSONPath, which starts with $')
  .meta({ description: 'A JSONPath (RFC 9535).' });

/** A member's name, or its JSONPath from the object that holds it: `name` and `$.name` are the same. */
const member = z.string().min(1).meta({ description: 'The name of a member, or its JSONPath.' });

const parameter = z.string().min(1).meta({ description: 'The name of a query parameter.' });

/** The contract states the method of terminate; it leaves that of start open. */
const terminate = z
  .string()
  .regex(
    /^POST \/\S*\{id\}\S*$/u,
    'POST and a path with {id}, as in POST /instances/{id}/terminate',
  );
const start = z
  .string()
  .regex(
    /^(POST|PUT|PATCH) \/\S*\{id\}\S*$/u,
    'a method and a path with {id}, as in POST /instances/{id}/start',
  );

const presetFields = z
  .strictObject({
    id: member.optional(),
    sku: member.optional(),
    region: member.optional(),
    location: member.optional(),
    gpu: member.optional(),
    gpuCount: member.optional(),
    cpu: member.optional(),
    memory: member.optional(),
    storage: member.optional(),
    price: member.optional(),
  })
  .readonly();

const computeBindings = z
  .strictObject({
    terminate: terminate.optional(),
    start: start.optional(),
    getInstance: z.strictObject({ record: jsonPath.optional() }).readonly().optional(),
    regions: z.strictObject({ codes: jsonPath.optional() }).readonly().optional(),
    presets: z
      .strictObject({
        items: member.optional(),
        filters: z
          .strictObject({ sku: parameter.optional(), freeText: parameter.optional() })
          .readonly()
          .optional(),
        fields: presetFields.optional(),
      })
      .readonly()
      .optional(),
    locations: z
      .strictObject({ unmapped: z.array(z.string().min(1)).min(1).readonly().optional() })
      .readonly()
      .optional(),
  })
  .readonly();

export type ComputeBindings = z.output<typeof computeBindings>;
export type PresetField = keyof z.output<typeof presetFields>;

/** True for a field of a preset that the target file can name. */
export function isPresetField(name: string): name is PresetField {
  return Object.hasOwn(presetFields.unwrap().shape, name);
}

/** The source of disposable instances: a command that prints an id, a request, or a list of ids to use up. */
const provision = z.union(
  [
    z.strictObject({ command }).readonly(),
    z
      .strictObject({
        request: z
          .string()
          .regex(/^(POST|PUT) \/\S*$/u, 'a method and a path, as in POST /_provision'),
        id: text.meta({ description: 'JSONPath of the new id in the answer.' }),
      })
      .readonly(),
    list(instanceId),
  ],
  'one of { command }, { request, id } and a list of ids',
);

export const computeTargetFile = z
  .strictObject({
    ...everyTarget,
    contract: z.literal('compute'),
    keys: z
      .strictObject({
        primary: key,
        second: key.optional(),
        empty: key.optional(),
        forbidden: z
          .union(
            [key, z.strictObject({ key, instance: instanceId }).readonly()],
            'a key, or { key, instance }: a key that may read and not act, and a stopped instance of its account',
          )
          .optional(),
      })
      .readonly(),
    bindings: computeBindings.optional(),
    instances: z
      .strictObject({
        provision: provision.optional(),
        stopped: list(instanceId).optional(),
        terminated: list(instanceId).optional(),
      })
      .readonly()
      .optional(),
  })
  .readonly();

/** A compute target with its defaults; every key is the name of a secret. */
export type ComputeTarget = Completed<z.output<typeof computeTargetFile>>;

/** True for a target of this contract. */
export function isComputeTarget(target: Target): target is ComputeTarget {
  return target.contract === 'compute';
}

export type Provision = z.output<typeof provision>;

/** True for a list of ids to use up. */
export function isIdList(source: Provision | undefined): source is readonly string[] {
  return Array.isArray(source);
}
