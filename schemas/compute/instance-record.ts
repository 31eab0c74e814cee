/** Requirements of the instance record: every field in both variants, and relations between fields. */

import { fieldRows } from './wire.ts';
import { disposable, stopped } from './needs.ts';
import { cited, clause, excluded, stated, implied, open, section } from '../requirement.ts';

export const instanceRecord = section('compute', 'instance-record', [
  excluded.summary('overview', 'What the service does'),
  excluded(
    'overview/purpose',
    'What the service does, opening paragraph',
    'It says what the service is for and promises nothing about an answer.',
  ),
  clause(
    'overview/preset-and-region',
    'What the service does, bullet: hardware preset and region of an instance',
    {
      'list-region-offered': stated(
        'An instance of the list is found under its own region as filter.',
      ),
      'list-fits-preset': implied(
        'A listed instance has the GPU model and the CPUs of the preset that its size names.',
        {
          judged:
            'Where the presets show numbers of CPUs, and a GPU model that is written as in the list.',
          needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
        },
      ),
    },
  ),
  clause('instance', 'Instance, field table as a whole', {
    'list-nullable-there': implied.universal(
      'In list pages, fields that may be null are there even when they are null.',
    ),
    'action-nullable-there': stopped.implied.universal(
      'In answers to stop and terminate, fields that may be null are there even when they are null.',
    ),
    'figures-not-negative': implied.universal(
      'CPUs, bandwidth, storage, the hourly rate and the runtime of an instance are not below zero.',
    ),
    'extra-fields': open('Which fields beyond the documented ones an instance has.'),
  }),
  ...fieldRows,
  cited('instance/instance_id', {
    'id-unique': stated.universal('No two items of a page of instances carry the same id.'),
  }),
  cited('instance/total_runtime_hours', {
    'runtime-in-hours': stated(
      'The total runtime is in hours: it is not above the life of an instance, and holds the run that is under way.',
      {
        judged:
          'Where the figure is twice what it can be, for all of several instances, or a sixth of a run of thirty hours.',
      },
    ),
  }),
  cited('instance/started_at', {
    'dates-are-instants': implied.universal(
      'Dates of an instance carry seconds and a UTC offset, so that they name one instant.',
    ),
    'running-has-started': implied.universal('A RUNNING instance tells when it started.'),
    'dates-fit-the-clock': stated(
      'The dates on which an instance began to run and was terminated lie neither in the future nor before the run saw it happen.',
      { judged: 'Clocks may be five minutes apart, and two readings must show it.' },
    ),
  }),
  cited('instance/terminated_at', {
    'terminated-has-date': stated.universal('A TERMINATED instance tells when it was terminated.', [
      'instances.terminated',
    ]),
    'terminated-after-start': stated.universal(
      'A TERMINATED instance was not terminated before it last began to run.',
      {
        judged: 'Two clocks may have taken the dates: five minutes are allowed for.',
        needs: ['instances.terminated'],
      },
    ),
    'terminated-date-stays': stated(
      'The date of termination of a TERMINATED instance does not change.',
      { judged: 'As finely as both dates are written.', needs: ['instances.terminated'] },
    ),
    'alive-has-no-date': stated.universal(
      'An instance that is neither TERMINATING, TERMINATED nor ERRORED has no date of termination.',
    ),
    'terminated-date-while-terminating': open(
      'Whether a TERMINATING instance already has a date of termination.',
    ),
  }),
  cited('instance/termination_reason', {
    'terminated-has-reason': implied.universal(
      'A TERMINATED instance tells why it was terminated.',
      ['instances.terminated'],
    ),
    'terminated-reason-stays': disposable.implied(
      'The reason of termination of a TERMINATED instance does not change when another terminate is refused.',
    ),
    'alive-has-no-reason': implied.universal(
      'An instance that is neither TERMINATING, TERMINATED nor ERRORED has no reason of termination.',
    ),
  }),
  cited('instance/guest_ready', {
    'guest-ready-values': open('Which values the readiness of the guest takes.'),
  }),
  clause('variants', 'Instance, introduction of the variant rules', {
    'lists-describe-alike': stated.universal(
      'Lists do not describe the region, GPU model, size and CPUs of an instance now in one way and now in another.',
      {
        judged:
          'While its state is the same, and once a run has seen both ways come back, since it may be moved or resized; and in any state where the other way is that of an answer to a stop or terminate.',
      },
    ),
    'action-agrees-with-list': stopped.implied(
      'The answers to stop and terminate give the same name, GPU model, CPUs, bandwidth, hourly rate, runtime, total cost and start of an instance as the list does, and the same location, size and disk as each other.',
      {
        judged:
          'What changes meanwhile is left out; runtimes and costs may be rounded to the hour, and what is being destroyed may have no disk.',
      },
    ),
  }),
  clause('variants/rule-1/region', 'Variant rule 1, region', {
    'list-region-code': implied.universal('In list pages, the region is one of the region codes.', {
      judged: 'A location without a region may show here, so the document does not settle it.',
    }),
    'list-region-no-location': stated(
      'In list pages, the region is no location that the presets show in a region.',
      [
        'bindings.presets.items',
        'bindings.presets.fields.region',
        'bindings.presets.fields.location',
      ],
    ),
    'list-region-not-narrower': stated(
      'The region that a list page shows of an instance is not the location that the answer to a stop of it shows.',
    ),
  }),
  clause('variants/rule-1/size', 'Variant rule 1, size', {
    'list-size-sku': implied(
      'In list pages, the size is the SKU name of a preset that the presets show.',
      {
        judged: 'A preset may be withdrawn while its instances live on.',
        needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
      },
    ),
    'list-sizes-are-skus': stated(
      'The sizes of listed instances are not counts of units, and not all something else than SKU names.',
      {
        judged:
          'By headlines, and what instances and presets show elsewhere: all presets of an account may be withdrawn while its instances live on.',
        needs: ['bindings.presets.items', 'bindings.presets.fields.sku'],
      },
    ),
  }),
  clause('variants/rule-1/storage', 'Variant rule 1, storage in use', {
    'list-storage-in-use': stated(
      'In list pages, the storage is what is in use, and not the disk of the preset.',
      {
        judged:
          'Where five instances or more all show the storage of their presets to the last digit, but for those that show 0.',
        needs: [
          'bindings.presets.items',
          'bindings.presets.fields.sku',
          'bindings.presets.fields.storage',
        ],
      },
    ),
    'list-storage-within-disk': stopped.implied(
      'The storage in use that a list shows is not above the disk that a stop answer shows.',
      { judged: 'Gigabytes may be decimal or binary: a factor of two is allowed for.' },
    ),
  }),
  clause('variants/rule-1/current-cost', 'Variant rule 1, cost of the current run', {
    'list-cost-within-total': implied.universal(
      'In list pages, the cost of the current run is not above the cost of the whole life.',
      { judged: 'The total may be rounded to the credit and be booked once an hour.' },
    ),
    'list-cost-of-current-run': stated.universal(
      'In list pages, the current cost of a running instance is that of its current run.',
      {
        judged:
          'What is far above the cost of the run is wrong where the whole life has cost that, and what is far below it in a run of more than a day; also what all long runs have cost beside their hours at the hourly rate; in two readings.',
        hasCases: true,
      },
    ),
  }),
  excluded(
    'variants/rule-1/ttl',
    'Variant rule 1, hours until the automatic stop',
    'The condition of the automatic stop is not shown, so no figure can be said to be wrong; its type is judged.',
  ),
  clause('variants/rule-2/location', 'Variant rule 2, region is a location', {
    'action-region-narrower': stopped.stated.universal(
      'In answers to stop and terminate, the region is a location within the region of the instance, and not a region code.',
      {
        judged:
          'Which region a location is in is what the presets show, where they can be read to their end.',
      },
    ),
  }),
  clause('variants/rule-2/no-filter', 'Variant rule 2, locations against region filters', {
    'location-filters-no-presets': stopped.stated(
      'The location of an instance, as region filter of the presets, gives an empty page, or only presets at that very location where it belongs to no region.',
    ),
  }),
  clause('variants/rule-2/empty-page', 'Variant rule 2, what filtering on a location gives', {
    'location-filter-accepted': stopped.stated(
      'The location of an instance as region filter is never an error.',
    ),
  }),
  clause('variants/rule-3/headline', 'Variant rule 3, headline shape', {
    'action-size-headline': stopped.stated.universal(
      'In answers to stop and terminate, the size is a count with a unit.',
    ),
    'action-size-not-sku': stopped.implied(
      'The size in answers to stops is not the SKU name that the list shows as the size.',
      {
        judged:
          'For two instances; a SKU name that is a count and the GPU model may be the headline.',
      },
    ),
  }),
  excluded(
    'variants/rule-3/presets-resolve',
    'Variant rule 3, where the full hardware is found',
    'How a headline shape is looked up among the presets is not shown, and several presets may share one.',
  ),
  clause('variants/rule-4', 'Variant rule 4, provisioned disk', {
    'action-storage-steady': stopped.stated(
      'Two answers to stops of the same stopped instance show the same provisioned disk.',
    ),
    'action-storage-not-use': stated(
      'The storage that answers to stop and terminate show is not what the list shows to be in use.',
      {
        judged:
          'Where two stopped instances show fractions of a gigabyte that no preset has as its storage, and where a terminate shows another disk than the last stop did.',
        needs: [...stopped.needs, 'bindings.presets.items', 'bindings.presets.fields.storage'],
      },
    ),
  }),
  clause('variants/rule-5/whole-life', 'Variant rule 5, equality of the two costs', {
    'action-cost-whole-life': stopped.stated.universal(
      'In answers to stop and terminate, the current cost is the total cost incurred.',
    ),
  }),
  clause('variants/rule-5/not-this-run', 'Variant rule 5, last sentence', {
    'action-cost-not-reset': stopped.stated(
      'The current cost in an answer to a stop is not below the total cost that was seen before.',
    ),
  }),
  excluded(
    'variants/rule-6/runway',
    'Variant rule 6, credit runway',
    'Credits and burn of the organisation cannot be read, so the figure cannot be computed.',
  ),
  clause('variants/rule-6/same-figure', 'Variant rule 6, one figure for all', {
    'action-ttl-same': stopped.stated(
      'Two stopped instances of one organisation, stopped again or terminated, show the same remaining hours.',
      {
        judged:
          'Two stopped instances of different hourly rates are needed; the drift of the moments between is allowed for.',
      },
    ),
  }),
  clause('list-instances/region/location', 'GET /instances, row region, location values', {
    'location-filters-no-instances': stopped.stated(
      'The location of an instance, as region filter of the instance list, gives an empty page.',
    ),
  }),
]);
