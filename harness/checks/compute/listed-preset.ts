/** Listed instances against the presets that their sizes name (compute#overview/preset-and-region, compute#variants/rule-1). */

import type { ComputeBindings, PresetField } from '../../../schemas/compute/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, together } from '../judgement.ts';
import { presetValue } from './presets.ts';
import { type WireRecord, numberOf, textOf } from './records.ts';

/** What every preset of one SKU name says in one member; one SKU may be offered in several ways. */
type Offered = ReadonlyMap<string, ReadonlySet<unknown>>;

function offered(
  presets: readonly WireRecord[],
  field: PresetField,
  bindings: ComputeBindings,
): Offered {
  const values = new Map<string, Set<unknown>>();
  for (const preset of presets) {
    const sku = presetValue(preset, 'sku', bindings);
    const value = presetValue(preset, field, bindings);
    if (typeof sku !== 'string' || value === undefined) continue;
    values.set(sku, (values.get(sku) ?? new Set()).add(value));
  }
  return values;
}

/** Listed instances that must all show their disks before those are no full ones. */
const FULL_BY_NO_CHANCE = 5;

/** The storage of listed instances is what is in use, and not the storage of their presets. */
export function showsUse(
  records: readonly WireRecord[],
  presets: readonly WireRecord[],
  bindings: ComputeBindings,
  ...exchanges: readonly Exchange[]
): Judgement {
  const disks = offered(presets, 'storage', bindings);
  const shown = records.flatMap((record) => {
    const disk = disks.get(textOf(record, 'size') ?? '');
    const storage = numberOf(record, 'storage_used_gb');
    return disk === undefined || storage === undefined
      ? []
      : [{ storage, isDisk: disk.has(storage) }];
  });
  if (shown.length < FULL_BY_NO_CHANCE) return notObserved;
  return expectThat(
    shown.some(({ isDisk }) => !isDisk),
    'A list shows the provisioned disk of every instance, and not the storage in use.',
    { expected: 'the storage in use', actual: shown.slice(0, 10).map(({ storage }) => storage) },
    ...exchanges,
  );
}

/** Listed instances have the GPU model and the CPUs of the preset that their size names. */
export function fitsPreset(
  records: readonly WireRecord[],
  presets: readonly WireRecord[],
  bindings: ComputeBindings,
  ...exchanges: readonly Exchange[]
): Judgement {
  const [cpus, models] = (['cpu', 'gpu'] as const).map((field) =>
    offered(presets, field, bindings),
  );
  // A preset may write its model in another way than the list does: then no model of the list is one of the presets.
  const known = new Set([...(models?.values() ?? [])].flatMap((some) => [...some]));
  const compared = [
    { field: 'cpu_count', offers: cpus, tells: (value: unknown) => typeof value === 'number' },
    { field: 'gpu_type', offers: models, tells: (value: unknown) => known.has(value) },
  ];
  return together(
    ...records.flatMap((record) =>
      compared.map(({ field, offers, tells }) => {
        const some = offers?.get(textOf(record, 'size') ?? '');
        const isTold = some !== undefined && [...some].every((value) => tells(value));
        if (!isTold || !tells(record[field])) return notObserved;
        return expectThat(
          some.has(record[field]),
          `The ${field} of a listed instance is not that of the preset that its size names.`,
          {
            expected: `${[...some].join(' or ')}, as the preset ${textOf(record, 'size')}`,
            actual: `${String(record[field])} (instance ${textOf(record, 'instance_id')})`,
          },
          ...exchanges,
        );
      }),
    ),
  );
}
