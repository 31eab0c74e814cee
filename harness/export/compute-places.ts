/** Where each requirement of the compute contract appears in the OpenAPI document. */

import { instanceFields, instanceListParameters } from '../../schemas/compute/wire.ts';
import type { Place, PlaceRule, PlaceRules } from './openapi.ts';

/** Rules for an instance record. A requirement belongs to a field by the words of its id, or else by its clause. */
function ofRecord(
  schema: 'InstanceInList' | 'InstanceInAnswer',
  begin: string,
  fields: Readonly<Record<string, string>>,
): readonly PlaceRule[] {
  const every = Object.keys(instanceFields).join('|');
  return [
    ...Object.entries(fields).map(([field, ends]): PlaceRule => [
      new RegExp(`^${begin}(?:${ends}) `, 'u'),
      `property:${schema}.${field}`,
    ]),
    [new RegExp(`^${begin}.* compute#instance/(${every})$`, 'u'), `property:${schema}.$1`],
    [new RegExp(`^${begin}`, 'u'), `schema:${schema}`],
  ];
}

/** Rules for a list. A requirement belongs to a parameter by its clause or the beginning of its id. */
function ofList(
  operation: 'listInstances' | 'listPresets',
  search: 'free_text_search' | 'freeText',
): readonly PlaceRule[] {
  const parameter = (name: string): Place => `parameter:${operation}.${name}`;
  const named = instanceListParameters.join('|');
  return [
    [/ compute#[\w-]+\/free[_-]text/u, parameter(search)],
    [
      new RegExp(` compute#(?:list-instances|presets)/(${named}|sku)(?![\\w-])`, 'u'),
      parameter('$1'),
    ],
    [/^(size|status)-/u, parameter('$1')],
    [/^date-/u, parameter('date_range_begin')],
    [/^sort-field-/u, parameter('sort_field')],
    [/^sort-direction-/u, parameter('sort_direction')],
    [/^/u, `operation:${operation}`],
  ];
}

function ofAction(operation: string): readonly PlaceRule[] {
  return [
    [/^(?:body|reason-note|malformed-json|refused-note)/u, `body:${operation}`],
    [/^\S*-id /u, `parameter:${operation}.id`],
    [/^(?:response-|success-|state-shown)/u, `response:${operation}`],
    [/^/u, `operation:${operation}`],
  ];
}

export const computePlaces: PlaceRules = {
  'instance-record': [
    [/^location-filters-no-presets /u, 'parameter:listPresets.region'],
    [/^location-/u, 'parameter:listInstances.region'],
    ...ofRecord('InstanceInAnswer', 'action-', {
      region: 'region-narrower',
      size: 'size-headline',
      storage_used_gb: 'storage-steady',
      current_cost: 'cost-whole-life|cost-not-reset',
      ttl_remaining_hours: 'ttl-same',
    }),
    ...ofRecord('InstanceInList', '', {
      region: 'list-region-code|list-region-no-location|list-region-offered',
      size: 'list-size-sku',
      current_cost: 'list-cost-within-total',
      storage_used_gb: 'list-storage-within-disk',
    }),
  ],
  pagination: [
    [/ compute#pagination\/next/u, 'property:Pagination.next'],
    [/ compute#pagination\/size$/u, 'property:Pagination.size'],
    [/ compute#list-instances\/(cursor|size)$/u, 'parameter:listInstances.$1'],
    [/ compute#pagination$/u, 'schema:InstancePage'],
    [/ compute#presets\/paginated$/u, 'schema:PresetPage'],
    [/^/u, 'operation:listInstances'],
  ],
  states: [
    [/^\S*terminate/u, 'operation:terminateInstance'],
    [/^\S*stop/u, 'operation:stopInstance'],
  ],
  'list-instances': [
    [/^data-array /u, 'schema:InstancePage'],
    ...ofList('listInstances', 'free_text_search'),
  ],
  presets: [
    [/^items-array /u, 'schema:PresetPage'],
    [/^(?:price-there|record-fields) /u, 'schema:Preset'],
    ...ofList('listPresets', 'freeText'),
  ],
  'stop-instance': ofAction('stopInstance'),
  'terminate-instance': ofAction('terminateInstance'),
  'get-instance': [
    [/^\S*-id /u, 'parameter:getInstance.id'],
    [/^/u, 'operation:getInstance'],
  ],
  'start-instance': [
    [/^\S*-id /u, 'parameter:startInstance.id'],
    [/^/u, 'operation:startInstance'],
  ],
  regions: 'operation:listRegions',
  authentication: [
    [/^(get|stop|terminate|start)-instance /u, 'operation:$1Instance'],
    [/^list-instances /u, 'operation:listInstances'],
    [/^regions /u, 'operation:listRegions'],
    [/^presets /u, 'operation:listPresets'],
    [/^policy-refusal /u, 'response:403'],
    [/^/u, 'security:bearer'],
  ],
  scoping: [
    [/^foreign-(get|stop|terminate|start)/u, 'operation:$1Instance'],
    [/^regions-shared /u, 'operation:listRegions'],
    [/^presets-shared /u, 'operation:listPresets'],
    [/^/u, 'operation:listInstances'],
  ],
  errors: [
    [/ compute#errors\/(\d\w*)/u, 'response:$1'],
    [/ compute#errors\/(code|message|request_id)(?!\w)/u, 'property:Error.$1'],
    [/^/u, 'schema:Error'],
  ],
  'rate-limiting': [
    [/ compute#errors\/429\/retry-after$/u, 'header:Retry-After'],
    [/^/u, 'response:429'],
  ],
};
