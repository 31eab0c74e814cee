/** Answers of the instance list as a whole, its default order, and parameters that it cannot stomach. */

import { type Instance, type InstanceQuery, invalid } from '../model.ts';
import {
  amend,
  answering,
  fails,
  faultTable,
  forces,
  isSuccess,
  type Patch,
  succeeding,
} from './words.ts';
import { MORE_THAN_A_PAGE } from './words-lists.ts';

/** Regions and GPU models of the instance list bring about a 500 with a certain character. */
function crashing(character: RegExp): Patch {
  return fails(
    'matchesQuery',
    () => new Error('The database refused the text.'),
    (_instance, query) => character.test(`${query.region ?? ''}${query.gpuType ?? ''}`),
  );
}

/** What a filter selects comes oldest first. */
function oldestFirst(when: (query: InstanceQuery) => boolean): Patch {
  return amend('selectInstances', (page, query, after) => {
    const isWhole = after === undefined && page.end === undefined;
    return isWhole && when(query) && query.sortField === undefined
      ? { ...page, items: page.items.toReversed() }
      : page;
  });
}

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

export const listAnswersFaults = faultTable('compute.list-instances', {
  'newest-first-filtered: two-running-instances-change-places': {
    exercisedBy: ['status-running'],
    patch: amend('selectInstances', (page, query) => {
      const [third, fourth] = page.items.slice(2, 4);
      return query.status === 'RUNNING' && query.sortField === undefined && third && fourth
        ? { ...page, items: page.items.with(2, fourth).with(3, third) }
        : page;
    }),
  },
  'newest-first-filtered: list-by-status-of-a-larger-account-is-oldest-first': {
    exercisedBy: ['status-running'],
    instances: MORE_THAN_A_PAGE,
    patch: oldestFirst(({ status }) => status !== undefined),
  },
  'answers-200: page-of-ten-is-206': answering((answer, { operation, query }) =>
    operation === 'list-instances' && query === 'size=10' && isSuccess(answer)
      ? { ...answer, status: 206 }
      : answer,
  ),
  'parameters-optional: bare-instance-list-is-refused': {
    besides: ['compute.pagination.walk-default', 'compute.pagination.walk-without-gaps'],
    patch: (rules) =>
      answering((answer, context) =>
        context.operation === 'list-instances' &&
        context.query === '' &&
        context.key?.role === 'primary' &&
        isSuccess(answer)
          ? rules.errorAnswer(invalid('size is missing.'), context)
          : answer,
      )(rules),
  },
  'data-array: nothing-found-is-no-list': succeeding('list-instances', (json) =>
    Array.isArray(json['data']) && json['data'].length === 0 ? { ...json, data: {} } : json,
  ),
  'odd-parameters: quotes-crash-the-list': crashing(/'/u),
  'odd-parameters: emoji-crash-the-list': crashing(/[\u{10000}-\u{10FFFF}]/u),
  'own-listed: instance-list-is-always-empty': () => ({ matchesQuery: () => false }),
  'own-listed: stopped-is-not-listed': forces(
    'matchesQuery',
    false,
    (instance) => instance.state === 'STOPPED',
  ),
  'newest-first + newest-first-later-pages: oldest-come-first': reordered(
    (instances) => instances.toReversed(),
    () => true,
  ),
  'newest-first + newest-first-later-pages: two-instances-change-places': reordered(
    (instances) => swapped(instances, 42),
    () => true,
  ),
  'newest-first-lasts: what-stopped-or-ran-last-comes-first': {
    exercisedBy: ['newest-first-lasts'],
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
  'newest-first-lasts: what-is-stopped-once-more-comes-first': {
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
  'newest-first-later-pages + newest-first: order-goes-by-name': reordered(
    (instances) => instances.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
    () => true,
  ),
});
