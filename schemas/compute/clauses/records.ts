/** Clauses about the service as a whole and about the records: overview, Instance, pagination, regions. */

import type { Clause } from '../../requirement.ts';

const summary = 'It only sums up what the rows and rules below it say, where it is judged.';

export const recordClauses = {
  'compute#overview': { where: 'What the service does', excluded: summary },
  'compute#overview/purpose': {
    where: 'What the service does, opening paragraph',
    excluded: 'It says what the service is for and promises nothing about an answer.',
  },
  'compute#overview/preset-and-region': {
    where: 'What the service does, bullet: hardware preset and region of an instance',
  },
  'compute#overview/scoped': {
    where: 'What the service does, bullet: requests and the account of the key',
  },
  'compute#overview/ssh-keys-scoped': {
    where: 'What the service does, bullet: SSH keys of the own account',
    excluded: 'The SSH key operations are not shown, so nothing of them can be asked.',
  },
  'compute#overview/shared-reference': {
    where: 'What the service does, bullet: regions and presets are public reference data',
  },
  'compute#overview/restartable': {
    where: 'What the service does, bullet: a stopped instance, first half',
  },
  'compute#overview/terminated-final': {
    where: 'What the service does, bullet: a terminated instance, second half',
  },
  'compute#overview/base-address': {
    where: 'What the service does, bullet: base address',
    excluded: 'An address and not behaviour: the target file names it.',
  },
  'compute#overview/json': { where: 'What the service does, bullet: bodies are JSON' },

  'compute#instance': { where: 'Instance, field table as a whole' },
  'compute#instance/instance_id': { where: 'Instance, row instance_id' },
  'compute#instance/name': { where: 'Instance, row name' },
  'compute#instance/status': { where: 'Instance, row status' },
  'compute#instance/region': { where: 'Instance, row region' },
  'compute#instance/gpu_type': { where: 'Instance, row gpu_type' },
  'compute#instance/size': { where: 'Instance, row size' },
  'compute#instance/cpu_count': { where: 'Instance, row cpu_count' },
  'compute#instance/resources': { where: 'Instance, row resources' },
  'compute#instance/bandwidth': { where: 'Instance, row bandwidth' },
  'compute#instance/storage_used_gb': { where: 'Instance, row storage_used_gb' },
  'compute#instance/hourly_rate': { where: 'Instance, row hourly_rate' },
  'compute#instance/current_cost': { where: 'Instance, row current_cost' },
  'compute#instance/total_cost_incurred': { where: 'Instance, row total_cost_incurred' },
  'compute#instance/total_runtime_hours': { where: 'Instance, row total_runtime_hours' },
  'compute#instance/ttl_remaining_hours': { where: 'Instance, row ttl_remaining_hours' },
  'compute#instance/started_at': { where: 'Instance, row started_at' },
  'compute#instance/terminated_at': { where: 'Instance, row terminated_at' },
  'compute#instance/termination_reason': { where: 'Instance, row termination_reason' },
  'compute#instance/guest_ready': { where: 'Instance, row guest_ready' },
  'compute#instance/guest_ready_reason': { where: 'Instance, row guest_ready_reason' },

  'compute#variants': { where: 'Instance, introduction of the variant rules' },
  'compute#variants/rule-1/region': { where: 'Variant rule 1, region' },
  'compute#variants/rule-1/size': { where: 'Variant rule 1, size' },
  'compute#variants/rule-1/storage': {
    where: 'Variant rule 1, storage in use',
  },
  'compute#variants/rule-1/current-cost': { where: 'Variant rule 1, cost of the current run' },
  'compute#variants/rule-1/ttl': {
    where: 'Variant rule 1, hours until the automatic stop',
    excluded:
      'The condition of the automatic stop is not shown, so no figure can be said to be wrong; its type is judged.',
  },
  'compute#variants/rule-2/location': { where: 'Variant rule 2, region is a location' },
  'compute#variants/rule-2/no-filter': {
    where: 'Variant rule 2, locations against region filters',
  },
  'compute#variants/rule-2/empty-page': {
    where: 'Variant rule 2, what filtering on a location gives',
  },
  'compute#variants/rule-3/headline': { where: 'Variant rule 3, headline shape' },
  'compute#variants/rule-3/presets-resolve': {
    where: 'Variant rule 3, where the full hardware is found',
    excluded:
      'How a headline shape is looked up among the presets is not shown, and several presets may share one.',
  },
  'compute#variants/rule-4': { where: 'Variant rule 4, provisioned disk' },
  'compute#variants/rule-5/whole-life': { where: 'Variant rule 5, equality of the two costs' },
  'compute#variants/rule-5/not-this-run': { where: 'Variant rule 5, last sentence' },
  'compute#variants/rule-6/runway': {
    where: 'Variant rule 6, credit runway',
    excluded:
      'Credits and burn of the organisation cannot be read, so the figure cannot be computed.',
  },
  'compute#variants/rule-6/same-figure': { where: 'Variant rule 6, one figure for all' },

  'compute#pagination': { where: 'Pagination object, table as a whole' },
  'compute#pagination/next': { where: 'Pagination object, row next, its type' },
  'compute#pagination/next/opaque': { where: 'Pagination object, row next, opaque cursor' },
  'compute#pagination/next/last': { where: 'Pagination object, row next, last page' },
  'compute#pagination/size': { where: 'Pagination object, row size' },

  'compute#regions/codes': { where: 'Regions, the codes' },
  'compute#regions/fixed': { where: 'Regions, fixed set in one answer' },
  'compute#regions/filters': { where: 'Regions, which values the filters accept' },
  'compute#regions/capacity': {
    where: 'Regions, capacity',
    excluded: 'It says what the list does not tell, which cannot be wrong.',
  },

  'compute#other-records/ssh-key': {
    where: 'Other records, SSH key',
    excluded: 'Not shown.',
  },
  'compute#other-records/region': { where: 'Other records, region' },
  'compute#other-records/preset': { where: 'Other records, preset' },
} as const satisfies Readonly<Record<string, Clause>>;
