/** The default catalogue: shapes at locations, some locations without a region. */

import type { Preset } from '../model.ts';

interface Location {
  readonly name: string;
  readonly region: string | undefined;
  /** Price against the list price of a shape. */
  readonly factor: number;
}

const locations: readonly Location[] = [
  { name: 'abu-dhabi-1', region: 'UAE', factor: 1 },
  { name: 'dubai-2', region: 'UAE', factor: 1.05 },
  { name: 'paris-1', region: 'FR', factor: 1.1 },
  { name: 'marseille-1', region: 'FR', factor: 1.1 },
  { name: 'ashburn-1', region: 'US', factor: 0.95 },
  { name: 'dallas-3', region: 'US', factor: 0.9 },
  { name: 'lab-1', region: undefined, factor: 0.5 },
  { name: 'lab-2', region: undefined, factor: 0.6 },
];

/** Credits per hour, cores, memory and storage for one GPU. */
const models = [
  { gpu: 'H100', price: 2.5, cpu: 24, memoryGb: 180, storageGb: 500 },
  { gpu: 'H200', price: 3.2, cpu: 24, memoryGb: 240, storageGb: 500 },
  { gpu: 'A100', price: 1.4, cpu: 16, memoryGb: 120, storageGb: 400 },
  { gpu: 'L40S', price: 0.9, cpu: 12, memoryGb: 64, storageGb: 250 },
  { gpu: 'RTX 4090', price: 0.45, cpu: 8, memoryGb: 48, storageGb: 100 },
  { gpu: 'MI300X', price: 2.8, cpu: 20, memoryGb: 224, storageGb: 1_000 },
] as const;

const counts = [1, 2, 4, 8] as const;

/** Every shape is offered at two locations of different prices, and every location has several shapes. */
export function defaultPresets(): readonly Preset[] {
  const presets: Preset[] = [];
  let shape = 0;
  for (const model of models) {
    for (const count of counts) {
      shape += 1;
      for (const offset of [shape, shape * 3 + 2]) {
        const location = locations[offset % locations.length];
        if (location === undefined) continue;
        presets.push({
          // Ids in another order than the catalogue, so that a sort by id can be told from no sort.
          id: `pst-${String((presets.length * 29 + 7) % 101).padStart(3, '0')}`,
          sku: `${count}x-${model.gpu.toLowerCase().replaceAll(' ', '-')}`,
          gpu: model.gpu,
          gpuCount: count,
          cpu: model.cpu * count,
          memoryGb: model.memoryGb * count,
          storageGb: model.storageGb * count,
          location: location.name,
          region: location.region,
          hourlyPrice: Math.round(model.price * count * location.factor * 10_000) / 10_000,
        });
      }
    }
  }
  return presets;
}
