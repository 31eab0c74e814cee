/** The default deployment with shorter target files: the suite does not exercise what they leave out, and raises no alarm. */

import { describedInPart } from '../../variant.ts';
import type { ComputeVariant } from './variant.ts';

export const targetFileVariants: readonly ComputeVariant[] = describedInPart({
  'target-of-one-key: Has a target file with one key and nothing else.': [
    'keys.second',
    'keys.empty',
    'keys.forbidden',
    'bindings',
    'instances',
    'consent',
  ],
  'target-without-preset-filters: Has a target file that names no filter of presets.': [
    'bindings.presets.filters',
    'bindings.locations',
  ],
  'target-without-preset-fields: Has a target file that names no field of a preset.': [
    'bindings.presets.fields',
    'bindings.regions',
    'keys.forbidden',
  ],
  'target-without-preset-items: Has a target file that does not say where the presets stand.': [
    'bindings.presets.items',
    'bindings.getInstance',
    'keys.empty',
  ],
  'target-without-provision: Has a target file that tells no way to make instances.': [
    'instances.provision',
    'keys.second',
  ],
  'target-without-terminate: Has a target file that permits no terminate.': [
    'consent.terminate',
    'bindings.terminate',
    'instances.terminated',
  ],
  'target-without-stop: Has a target file that permits no stop.': [
    'consent.stop',
    'consent.exhaustRateLimit',
    'bindings.start',
    'instances.stopped',
  ],
});
