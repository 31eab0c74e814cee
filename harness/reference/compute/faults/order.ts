/** Instances that are not listed newest first. */

import { declareFaults } from '../../fault.ts';
import type { Instance } from '../model.ts';
import type { ComputeRules } from '../context.ts';

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
    name: 'what-stopped-or-ran-last-comes-first',
    summary:
      'Instances are listed, and their dates filtered, by when they last stopped or began to run.',
    breaks: ['compute.list-instances.newest-first-lasts'],
    exercisedBy: ['compute.list-instances.newest-first-lasts'],
    patch: (rules) => {
      const moved = new Map<string, number>();
      const dated = (instance: Instance): Instance => ({
        ...instance,
        createdAt: moved.get(instance.id) ?? instance.createdAt,
      });
      const last = (instance: Instance): number => moved.get(instance.id) ?? 0;
      return {
        ...reordered(
          rules,
          (instances) => instances.toSorted((one, other) => last(one) - last(other)),
          () => true,
        ),
        enter: (instance, state, deployment) => {
          rules.enter(instance, state, deployment);
          if (state === 'STOPPED' || state === 'RUNNING') moved.set(instance.id, Date.now());
        },
        matchesDateBegin: (instance, query, context) =>
          rules.matchesDateBegin(dated(instance), query, context),
        matchesDateEnd: (instance, query, context) =>
          rules.matchesDateEnd(dated(instance), query, context),
      };
    },
  },
  {
    name: 'what-is-stopped-once-more-comes-first',
    summary: 'A stop of a stopped instance puts it before all others.',
    breaks: ['compute.list-instances.newest-first-lasts'],
    patch: (rules) => {
      const moved = new Set<string>();
      return {
        ...reordered(
          rules,
          (instances) =>
            instances.toSorted(
              (one, other) => Number(moved.has(one.id)) - Number(moved.has(other.id)),
            ),
          () => true,
        ),
        stopOutcome: (instance, context) => {
          if (instance.state === 'STOPPED') moved.add(instance.id);
          return rules.stopOutcome(instance, context);
        },
      };
    },
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
