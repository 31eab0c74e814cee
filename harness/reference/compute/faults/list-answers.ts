/** Answers of the instance list as a whole, its default order, and parameters that it cannot stomach. */

import { type Instance, type InstanceQuery, invalid } from '../model.ts';
import {
  amend,
  answering,
  before,
  chained,
  fails,
  faultTable,
  forces,
  isSuccess,
  type Patch,
  replace,
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

/** A deployment whose order of creation is another one. */
function reordered(order: (instances: readonly Instance[]) => readonly Instance[]): Patch {
  return amend('instancesInReach', order);
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
    patch: answering((answer, context) => {
      const { operation, query, key, rules } = context;
      const isBare = operation === 'list-instances' && query === '' && key?.role === 'primary';
      return isBare && isSuccess(answer)
        ? rules.errorAnswer(invalid('size is missing.'), context)
        : answer;
    }),
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
  'newest-first + newest-first-later-pages: oldest-come-first': reordered((instances) =>
    instances.toReversed(),
  ),
  'newest-first + newest-first-later-pages: two-instances-change-places': reordered((instances) =>
    swapped(instances, 42),
  ),
  'newest-first-lasts: what-stopped-or-ran-last-comes-first': {
    exercisedBy: ['newest-first-lasts'],
    patch: (rules) => {
      const moved = new Map<string, number>();
      const last = ({ id }: Instance): number => moved.get(id) ?? 0;
      const dated = (instance: Instance): Instance => ({
        ...instance,
        createdAt: moved.get(instance.id) ?? instance.createdAt,
      });
      return chained(
        reordered((instances) => instances.toSorted((one, other) => last(one) - last(other))),
        before('enter', ({ id }, state) => {
          if (state === 'STOPPED' || state === 'RUNNING') moved.set(id, Date.now());
        }),
        replace('matchesDateBegin', (original, instance, ...more) =>
          original(dated(instance), ...more),
        ),
        replace('matchesDateEnd', (original, instance, ...more) =>
          original(dated(instance), ...more),
        ),
      )(rules);
    },
  },
  'newest-first-lasts: what-is-stopped-once-more-comes-first': {
    says: 'A stop of a stopped instance puts it before all others.',
    patch: (rules) => {
      const moved = new Set<Instance>();
      const place = (instance: Instance): number => Number(moved.has(instance));
      return chained(
        reordered((instances) => instances.toSorted((one, other) => place(one) - place(other))),
        before('stopOutcome', (instance) => {
          if (instance.state === 'STOPPED') moved.add(instance);
        }),
      )(rules);
    },
  },
  'newest-first-later-pages + newest-first: order-goes-by-name': reordered((instances) =>
    instances.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
  ),
});
