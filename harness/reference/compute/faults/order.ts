/** Instances that are not listed newest first. */

import { declareFaults } from '../../fault.ts';
import type { Instance } from '../model.ts';
import type { ComputeRules } from '../rules.ts';

/** A deployment whose order of creation is another one, wherever `applies` says so. */
function reordered(
  rules: ComputeRules,
  order: (instances: readonly Instance[]) => readonly Instance[],
  applies: (query: string) => boolean,
): ComputeRules {
  return {
    ...rules,
    instancesInReach: (context) => {
      const own = rules.instancesInReach(context);
      return applies(context.query) ? order(own) : own;
    },
  };
}

/** Instances whose neighbours changed places, so that pages still hold together. */
function swapped(instances: readonly Instance[], from: number): readonly Instance[] {
  const [one, other] = [instances[from], instances[from + 1]];
  if (one === undefined || other === undefined) return instances;
  return instances.with(from, other).with(from + 1, one);
}

export const newestFirstBroken = declareFaults<ComputeRules>([
  {
    name: 'oldest-come-first',
    summary: 'The default order of instances is the oldest first.',
    breaks: [
      'compute.list-instances.newest-first',
      'compute.list-instances.newest-first-later-pages',
    ],
    patch: (rules) =>
      reordered(
        rules,
        (instances) => instances.toReversed(),
        () => true,
      ),
  },
  {
    name: 'two-instances-change-places',
    summary: 'Two instances with the same neighbours change places.',
    breaks: [
      'compute.list-instances.newest-first',
      'compute.list-instances.newest-first-later-pages',
    ],
    patch: (rules) =>
      reordered(
        rules,
        (instances) => swapped(instances, 42),
        () => true,
      ),
  },
  {
    name: 'order-goes-by-name',
    summary: 'The default order of instances is by name.',
    breaks: [
      'compute.list-instances.newest-first-later-pages',
      'compute.list-instances.newest-first',
    ],
    patch: (rules) =>
      reordered(
        rules,
        (instances) => instances.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
        () => true,
      ),
  },
]);
