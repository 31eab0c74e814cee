/** Instances that are not listed newest first. */

import type { Instance } from '../model.ts';
import { type Patch, amend, faultTable } from './answering.ts';

/** A deployment whose order of creation is another one, wherever `applies` says so. */
function reordered(
  order: (instances: readonly Instance[]) => readonly Instance[],
  applies: (query: string) => boolean,
): Patch {
  return amend('instancesInReach', (own, context) => (applies(context.query) ? order(own) : own));
}

/** Instances whose neighbours changed places, so that pages still hold together. */
function swapped(instances: readonly Instance[], from: number): readonly Instance[] {
  const [one, other] = [instances[from], instances[from + 1]];
  if (one === undefined || other === undefined) return instances;
  return instances.with(from, other).with(from + 1, one);
}

export const newestFirstBroken = faultTable({
  'compute.list-instances.newest-first': {
    'oldest-come-first': {
      says: 'The default order of instances is the oldest first.',
      besides: ['compute.list-instances.newest-first-later-pages'],
      patch: reordered(
        (instances) => instances.toReversed(),
        () => true,
      ),
    },
    'two-instances-change-places': {
      besides: ['compute.list-instances.newest-first-later-pages'],
      patch: reordered(
        (instances) => swapped(instances, 42),
        () => true,
      ),
    },
  },
  'compute.list-instances.newest-first-lasts': {
    'what-stopped-or-ran-last-comes-first': {
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
            (instances) => instances.toSorted((one, other) => last(one) - last(other)),
            () => true,
          )(rules),
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
    'what-is-stopped-once-more-comes-first': {
      says: 'A stop of a stopped instance puts it before all others.',
      patch: (rules) => {
        const moved = new Set<string>();
        return {
          ...reordered(
            (instances) =>
              instances.toSorted(
                (one, other) => Number(moved.has(one.id)) - Number(moved.has(other.id)),
              ),
            () => true,
          )(rules),
          stopOutcome: (instance, context) => {
            if (instance.state === 'STOPPED') moved.add(instance.id);
            return rules.stopOutcome(instance, context);
          },
        };
      },
    },
  },
  'compute.list-instances.newest-first-later-pages': {
    'order-goes-by-name': {
      besides: ['compute.list-instances.newest-first'],
      patch: reordered(
        (instances) => instances.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
        () => true,
      ),
    },
  },
});
