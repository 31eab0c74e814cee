/** Entries of the instance record on what its fields say together and across variants. */

import type { ComputeNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';

const stopped = ['instances.stopped', 'consent.stop'] as const;

export const instanceRelations = {
  'id-unique': {
    clause: 'compute#instance/instance_id',
    strength: 'stated',
    statement: 'No two items of a page of instances carry the same id.',
    universal: true,
  },
  'list-nullable-there': {
    clause: 'compute#instance',
    strength: 'implied',
    statement: 'In list pages, fields that may be null are there even when they are null.',
    universal: true,
  },
  'action-nullable-there': {
    clause: 'compute#instance',
    strength: 'implied',
    statement:
      'In answers to stop and terminate, fields that may be null are there even when they are null.',
    needs: stopped,
    universal: true,
  },
  'dates-are-instants': {
    clause: 'compute#instance/started_at',
    strength: 'implied',
    statement:
      'Dates of an instance carry seconds and a UTC offset, so that they name one instant.',
    universal: true,
  },
  'running-has-started': {
    clause: 'compute#instance/started_at',
    strength: 'implied',
    statement: 'A RUNNING instance tells when it started.',
    universal: true,
  },
  'terminated-has-date': {
    clause: 'compute#instance/terminated_at',
    strength: 'stated',
    statement: 'A TERMINATED instance tells when it was terminated.',
    needs: ['instances.terminated'],
    universal: true,
  },
  'terminated-has-reason': {
    clause: 'compute#instance/termination_reason',
    strength: 'implied',
    statement: 'A TERMINATED instance tells why it was terminated.',
    needs: ['instances.terminated'],
    universal: true,
  },
  'dates-fit-the-clock': {
    clause: 'compute#instance/started_at',
    strength: 'stated',
    statement:
      'The dates on which an instance began to run and was terminated lie neither in the future nor before the run saw it happen.',
    judged: 'Clocks may be five minutes apart, and two readings must show it.',
  },
  'figures-not-negative': {
    clause: 'compute#instance',
    strength: 'implied',
    statement:
      'CPUs, bandwidth, storage, the hourly rate and the runtime of an instance are not below zero.',
    universal: true,
  },
  'runtime-in-hours': {
    clause: 'compute#instance/total_runtime_hours',
    strength: 'stated',
    statement:
      'The total runtime is in hours: it is not above the life of an instance, and holds the run that is under way.',
    judged:
      'Where the figure is twice what it can be, for all of several instances, or a sixth of a run of thirty hours.',
  },
  'terminated-after-start': {
    clause: 'compute#instance/terminated_at',
    strength: 'stated',
    statement: 'A TERMINATED instance was not terminated before it last began to run.',
    judged: 'Two clocks may have taken the dates: five minutes are allowed for.',
    needs: ['instances.terminated'],
    universal: true,
  },
  'terminated-date-stays': {
    clause: 'compute#instance/terminated_at',
    strength: 'stated',
    statement: 'The date of termination of a TERMINATED instance does not change.',
    judged: 'As finely as both dates are written.',
    needs: ['instances.terminated'],
  },
  'alive-has-no-date': {
    clause: 'compute#instance/terminated_at',
    strength: 'stated',
    statement:
      'An instance that is neither TERMINATING, TERMINATED nor ERRORED has no date of termination.',
    universal: true,
  },
  'alive-has-no-reason': {
    clause: 'compute#instance/termination_reason',
    strength: 'implied',
    statement:
      'An instance that is neither TERMINATING, TERMINATED nor ERRORED has no reason of termination.',
    universal: true,
  },
  'list-region-code': {
    clause: 'compute#variants/rule-1/region',
    strength: 'implied',
    statement: 'In list pages, the region is one of the region codes.',
    judged: 'A location without a region may show here, so the document does not settle it.',
    universal: true,
  },
  'list-region-no-location': {
    clause: 'compute#variants/rule-1/region',
    strength: 'stated',
    statement: 'In list pages, the region is no location that the presets show in a region.',
    needs: [
      'bindings.presets.items',
      'bindings.presets.fields.region',
      'bindings.presets.fields.location',
    ],
  },
  'list-region-not-narrower': {
    clause: 'compute#variants/rule-1/region',
    strength: 'stated',
    statement:
      'The region that a list page shows of an instance is not the location that the answer to a stop of it shows.',
  },
  'list-region-offered': {
    clause: 'compute#overview/preset-and-region',
    strength: 'stated',
    statement: 'An instance of the list is found under its own region as filter.',
  },
  'list-size-sku': {
    clause: 'compute#variants/rule-1/size',
    strength: 'implied',
    statement: 'In list pages, the size is the SKU name of a preset that the presets show.',
    judged: 'A preset may be withdrawn while its instances live on.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
  },
  'list-sizes-are-skus': {
    clause: 'compute#variants/rule-1/size',
    strength: 'stated',
    statement:
      'Of three listed instances or more, the sizes are not all without a preset of that SKU name.',
    judged: 'Single presets may be withdrawn while instances live on, and not all of them.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
  },
  'list-fits-preset': {
    clause: 'compute#overview/preset-and-region',
    strength: 'implied',
    statement:
      'A listed instance has the GPU model and the CPUs of the preset that its size names.',
    judged:
      'Where the presets show numbers of CPUs, and a GPU model that is written as in the list.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
  },
  'lists-describe-alike': {
    clause: 'compute#variants',
    strength: 'stated',
    statement:
      'Lists do not describe the region, GPU model, size and CPUs of an instance now in one way and now in another.',
    judged:
      'While its state is the same, and once a run has seen both ways come back: it may be moved or resized meanwhile.',
    universal: true,
  },
  'list-cost-within-total': {
    clause: 'compute#variants/rule-1/current-cost',
    strength: 'implied',
    statement:
      'In list pages, the cost of the current run is not above the cost of the whole life.',
    judged: 'The total may be rounded to the credit and be booked once an hour.',
    universal: true,
  },
  'list-cost-of-current-run': {
    clause: 'compute#variants/rule-1/current-cost',
    strength: 'stated',
    statement: 'In list pages, the current cost of a running instance is that of its current run.',
    judged:
      'Where the whole life has cost far more than the run can have; only what is far above that is wrong, in two readings.',
  },
  'list-storage-in-use': {
    clause: 'compute#variants/rule-1/storage',
    strength: 'stated',
    statement: 'In list pages, the storage is what is in use, and not the disk of the preset.',
    judged: 'Where five instances or more all show the storage of their presets to the last digit.',
    needs: [
      'bindings.presets.items',
      'bindings.presets.fields.sku',
      'bindings.presets.fields.storage',
    ],
  },
  'list-storage-within-disk': {
    clause: 'compute#variants/rule-1/storage',
    strength: 'implied',
    statement:
      'The storage in use that a list shows is not above the disk that a stop answer shows.',
    judged: 'Gigabytes may be decimal or binary: a factor of two is allowed for.',
    needs: stopped,
  },
  'action-agrees-with-list': {
    clause: 'compute#variants',
    strength: 'implied',
    statement:
      'The answers to stop and terminate give the same name, GPU model, CPUs, bandwidth, hourly rate, runtime, total cost and start of an instance as the list does, and the same location, size and disk as each other.',
    judged:
      'What changes meanwhile is left out; runtimes and costs may be rounded to the hour, and what is being destroyed may have no disk.',
    needs: stopped,
  },
  'action-region-narrower': {
    clause: 'compute#variants/rule-2/location',
    strength: 'stated',
    statement: 'In answers to stop and terminate, the region is a location and not a region code.',
    needs: stopped,
    universal: true,
  },
  'location-filters-no-instances': {
    clause: 'compute#list-instances/region/location',
    strength: 'stated',
    statement:
      'The location of an instance, as region filter of the instance list, gives an empty page.',
    needs: stopped,
  },
  'location-filters-no-presets': {
    clause: 'compute#variants/rule-2/no-filter',
    strength: 'stated',
    statement:
      'The location of an instance, as region filter of the presets, gives an empty page, or only presets at that very location where it belongs to no region.',
    needs: stopped,
  },
  'location-filter-accepted': {
    clause: 'compute#variants/rule-2/empty-page',
    strength: 'stated',
    statement: 'The location of an instance as region filter is never an error.',
    needs: stopped,
  },
  'action-size-headline': {
    clause: 'compute#variants/rule-3/headline',
    strength: 'stated',
    statement: 'In answers to stop and terminate, the size is a count with a unit.',
    needs: stopped,
    universal: true,
  },
  'action-size-not-sku': {
    clause: 'compute#variants/rule-3/headline',
    strength: 'implied',
    statement: 'The size in answers to stops is not the SKU name that the list shows as the size.',
    judged: 'For two instances; a SKU name that is a count and the GPU model may be the headline.',
    needs: stopped,
  },
  'action-storage-steady': {
    clause: 'compute#variants/rule-4',
    strength: 'stated',
    statement: 'Two answers to stops of the same stopped instance show the same provisioned disk.',
    needs: stopped,
  },
  'action-storage-not-use': {
    clause: 'compute#variants/rule-4',
    strength: 'stated',
    statement:
      'The storage that answers to stops of two stopped instances show is not what the list shows to be in use.',
    judged: 'Where both show fractions of a gigabyte that no preset has as its storage.',
    needs: [...stopped, 'bindings.presets.items', 'bindings.presets.fields.storage'],
  },
  'action-cost-whole-life': {
    clause: 'compute#variants/rule-5/whole-life',
    strength: 'stated',
    statement: 'In answers to stop and terminate, the current cost is the total cost incurred.',
    needs: stopped,
    universal: true,
  },
  'action-cost-not-reset': {
    clause: 'compute#variants/rule-5/not-this-run',
    strength: 'stated',
    statement:
      'The current cost in an answer to a stop is not below the total cost that was seen before.',
    needs: stopped,
  },
  'action-ttl-same': {
    clause: 'compute#variants/rule-6/same-figure',
    strength: 'stated',
    statement:
      'Two stopped instances of one organisation, stopped again, show the same remaining hours.',
    judged:
      'Two stopped instances of different hourly rates are needed; the drift of the moments between is allowed for.',
    needs: stopped,
  },
  'terminated-date-while-terminating': {
    clause: 'compute#instance/terminated_at',
    strength: 'open',
    statement: 'Whether a TERMINATING instance already has a date of termination.',
  },
  'guest-ready-values': {
    clause: 'compute#instance/guest_ready',
    strength: 'open',
    statement: 'Which values the readiness of the guest takes.',
  },
  'extra-fields': {
    clause: 'compute#instance',
    strength: 'open',
    statement: 'Which fields beyond the documented ones an instance has.',
  },
} as const satisfies Readonly<Record<string, RequirementEntry<ComputeClause, ComputeNeed>>>;
