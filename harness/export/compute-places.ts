/** Where in the OpenAPI document each requirement of the compute contract stands. */

import {
  type InstanceFieldName,
  instanceListParameters,
  isInstanceField,
} from '../../schemas/compute/wire.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import { type Place, placedBy, slugOf } from './openapi.ts';

/** Sections that are one operation, with its name in the document. */
const operations: Readonly<Record<string, string>> = {
  'list-instances': 'listInstances',
  'get-instance': 'getInstance',
  'stop-instance': 'stopInstance',
  'terminate-instance': 'terminateInstance',
  'start-instance': 'startInstance',
  regions: 'listRegions',
  presets: 'listPresets',
};

/** The place of a requirement: of its section, or by its clause. */
export const computePlace = placedBy({
  'instance-record': instanceRecordPlace,
  pagination: paginationPlace,
  states: statesPlace,
  'list-instances': (requirement) => listPlace('listInstances', requirement),
  presets: (requirement) => listPlace('listPresets', requirement),
  'stop-instance': (requirement) => actionPlace('stopInstance', requirement),
  'terminate-instance': (requirement) => actionPlace('terminateInstance', requirement),
  'get-instance': ({ id }) =>
    id.endsWith('-id') ? 'parameter:getInstance.id' : 'operation:getInstance',
  'start-instance': ({ id }) =>
    id.endsWith('-id') ? 'parameter:startInstance.id' : 'operation:startInstance',
  regions: () => 'operation:listRegions',
  authentication: authenticationPlace,
  scoping: scopingPlace,
  errors: errorPlace,
  'rate-limiting': ({ clause }) =>
    clause === 'compute#errors/429/retry-after' ? 'header:Retry-After' : 'response:429',
});

/** Fields that the variant rules speak of, by the ends of their requirement ids. */
const variantFields: Readonly<Record<string, InstanceFieldName>> = {
  'list-region-code': 'region',
  'list-region-no-location': 'region',
  'list-region-offered': 'region',
  'list-size-sku': 'size',
  'list-cost-within-total': 'current_cost',
  'list-storage-within-disk': 'storage_used_gb',
  'action-region-narrower': 'region',
  'action-size-headline': 'size',
  'action-storage-steady': 'storage_used_gb',
  'action-cost-whole-life': 'current_cost',
  'action-cost-not-reset': 'current_cost',
  'action-ttl-same': 'ttl_remaining_hours',
};

function instanceRecordPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (slug === 'location-filters-no-presets') return 'parameter:listPresets.region';
  if (slug.startsWith('location-')) return 'parameter:listInstances.region';
  const schema = slug.startsWith('action-') ? 'InstanceInAnswer' : 'InstanceInList';
  const [, named = ''] = requirement.clause.split('compute#instance/');
  const field = variantFields[slug] ?? named;
  return isInstanceField(field) ? `property:${schema}.${field}` : `schema:${schema}`;
}

function paginationPlace({ clause }: Requirement): Place {
  if (clause.startsWith('compute#pagination/next')) return 'property:Pagination.next';
  if (clause === 'compute#pagination/size') return 'property:Pagination.size';
  if (clause === 'compute#list-instances/cursor') return 'parameter:listInstances.cursor';
  if (clause === 'compute#list-instances/size') return 'parameter:listInstances.size';
  if (clause === 'compute#pagination') return 'schema:InstancePage';
  if (clause === 'compute#presets/paginated') return 'schema:PresetPage';
  return 'operation:listInstances';
}

function statesPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (/terminate/u.test(slug)) return 'operation:terminateInstance';
  return /stop/u.test(slug) ? 'operation:stopInstance' : 'document';
}

/** Beginnings of requirement ids of a list, where its clause names no parameter. */
const listSlugs = [
  ['size-', 'size'],
  ['status-', 'status'],
  ['date-', 'date_range_begin'],
  ['free-text-', 'free_text_search'],
  ['sort-field-', 'sort_field'],
  ['sort-direction-', 'sort_direction'],
  ['garbage-cursor-', 'cursor'],
] as const;

const presetClauses: Readonly<Record<string, string>> = { sku: 'sku', 'free-text': 'freeText' };

function listPlace(operation: 'listInstances' | 'listPresets', requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (slug === 'data-array') return 'schema:InstancePage';
  if (slug === 'items-array') return 'schema:PresetPage';
  if (slug === 'price-there' || slug === 'record-fields') return 'schema:Preset';
  const [, named = ''] =
    /^compute#(?:list-instances|presets)\/([\w-]+)/u.exec(requirement.clause) ?? [];
  const parameter =
    parameters.has(named) || named in presetClauses
      ? (presetClauses[named] ?? named)
      : listSlugs.find(([begin]) => slug.startsWith(begin))?.[1];
  if (parameter === undefined) return `operation:${operation}`;
  const isSearch = operation === 'listPresets' && parameter === 'free_text_search';
  return `parameter:${operation}.${isSearch ? 'freeText' : parameter}`;
}

const parameters: ReadonlySet<string> = new Set(instanceListParameters);

function actionPlace(
  operation: 'stopInstance' | 'terminateInstance',
  requirement: Requirement,
): Place {
  const slug = slugOf(requirement);
  if (/^(?:body|reason-note|malformed-json|refused-note)/u.test(slug)) return `body:${operation}`;
  if (slug.endsWith('-id')) return `parameter:${operation}.id`;
  if (/^(?:response-|success-|state-shown)/u.test(slug)) return `response:${operation}`;
  return `operation:${operation}`;
}

function authenticationPlace(requirement: Requirement): Place {
  const operation = operations[slugOf(requirement)];
  if (operation !== undefined) return `operation:${operation}`;
  return slugOf(requirement) === 'policy-refusal' ? 'response:403' : 'security:bearer';
}

function scopingPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  for (const verb of ['get', 'stop', 'terminate', 'start'] as const) {
    if (slug.startsWith(`foreign-${verb}`)) return `operation:${verb}Instance`;
  }
  if (slug === 'regions-shared') return 'operation:listRegions';
  return slug === 'presets-shared' ? 'operation:listPresets' : 'operation:listInstances';
}

function errorPlace({ clause }: Requirement): Place {
  const [, part = ''] = /^compute#errors\/(\w+)/u.exec(clause) ?? [];
  if (/^\d/u.test(part)) return `response:${part}`;
  return ['code', 'message', 'request_id'].includes(part)
    ? `property:Error.${part}`
    : 'schema:Error';
}
