/** Accounts that see, touch or learn of each other. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance, Operation } from '../model.ts';
import { Refusal, errorCodes, notFound } from '../refusal.ts';
import {
  unless,
  replace,
  amend,
  faultTable,
  type Patch,
  enveloping,
  succeeding,
} from './answering.ts';
import { otherAccount } from './population.ts';
import { slowly } from './slowly.ts';

/** The foreign instance that a request names; undefined when it names none, or an own one. */
function foreignOf(context: RequestContext): Instance | undefined {
  const instance = context.world.instance(context.pathParameters['id'] ?? '');
  return instance === undefined || instance.account === context.key?.account ? undefined : instance;
}

/** A foreign instance is told from one that does not exist. */
function forbidden(operation: Operation, ids: readonly string[]): Fault<ComputeRules> {
  return {
    name: `foreign-${operation}-is-403`,
    summary: `On ${operation}, an instance of another account is 403, and one that does not exist 404.`,
    breaks: ids,
    patch: (rules) => ({
      ...rules,
      visibleTo: (instance, context) => {
        const visible = rules.visibleTo(instance, context);
        if (!visible && context.operation === operation) {
          throw new Refusal(403, errorCodes[403], 'This is not yours.');
        }
        return visible;
      },
    }),
  };
}

/** The 404 of a foreign instance has a member more than that of one that does not exist. */
function telltale(operation: Operation, id: string): Fault<ComputeRules> {
  return {
    name: `foreign-${operation}-has-a-telltale`,
    summary: `On ${operation}, the 404 of a foreign instance has one member more.`,
    breaks: [id],
    patch: (rules) =>
      enveloping(rules, (error, { status }, context) => ({
        error:
          status === 404 && context.operation === operation && foreignOf(context) !== undefined
            ? { ...error, owner: 'other' }
            : error,
      })),
  };
}

/** An instance of another account can be reached. */
function reachable(operation: Operation, ids: readonly string[]): Fault<ComputeRules> {
  return {
    name: `foreign-${operation}-is-served`,
    summary: `The second account can use ${operation} on the instances of all accounts.`,
    breaks: ids,
    patch: (rules) => ({
      ...rules,
      visibleTo: (instance, context) =>
        (context.key?.role === 'second' && context.operation === operation) ||
        rules.visibleTo(instance, context),
    }),
  };
}

/** A foreign instance is 404, and acted upon all the same. */
function acts(
  operation: 'stop-instance' | 'terminate-instance',
  act: 'beginStop' | 'beginTerminate',
  ids: readonly string[],
): Fault<ComputeRules> {
  return {
    name: `foreign-${operation}-is-404-and-acts`,
    summary: `On ${operation}, an instance of another account is 404, and is acted upon all the same.`,
    breaks: ids,
    patch: (rules) => ({
      ...rules,
      findInstance: (context) => {
        const foreign = foreignOf(context);
        if (context.operation === operation && foreign?.state === 'RUNNING') {
          rules[act](foreign, context);
        }
        return rules.findInstance(context);
      },
    }),
  };
}

const scope = (slug: string): string => `compute.scoping.${slug}`;

/** A list that shows an instance of another account now and then. */
function showsAStranger(isShown: (context: RequestContext) => boolean): Patch {
  return amend('instancesInReach', (own, context) => {
    const stranger = otherAccount(context).instances[0];
    return isShown(context) && stranger !== undefined ? [...own, stranger] : own;
  });
}

export const scopingFaults = [
  ...faultTable({
    'compute.scoping.foreign-get': {
      'empty-account-reads-strangers': unless(
        'visibleTo',
        (_instance, context) =>
          context.key?.role === 'empty' && context.operation === 'get-instance',
        true,
      ),
    },
    'compute.authentication.empty-account': {
      'empty-account-filters-are-404': replace('instancesInReach', (original, context) => {
        if (context.key?.role === 'empty' && context.query !== '') throw notFound();
        return original(context);
      }),
    },
    'compute.scoping.lists-disjoint': {
      'second-account-lists-a-stranger': {
        exercisedBy: [],
        patch: showsAStranger((context) => context.key?.role === 'second'),
      },
      'sort-by-status-shows-a-stranger': {
        exercisedBy: ['compute.list-instances.sort-status'],
        patch: showsAStranger((context) => /sort_field=STATUS.*DESC/u.test(context.query)),
      },
      'window-of-the-second-account-shows-a-stranger': {
        exercisedBy: ['compute.scoping.filters-stay-inside'],
        patch: showsAStranger(
          (context) =>
            context.key?.role === 'second' &&
            /date_range_begin.*date_range_end/u.test(context.query),
        ),
      },
    },
    'compute.scoping.foreign-terminate': {
      'terminating-can-be-terminated-by-strangers': {
        says: 'Any account may terminate once more what is being destroyed.',
        patch: (rules) => ({
          ...slowly(rules, 'TERMINATING'),
          visibleTo: (instance, context) =>
            (instance.state === 'TERMINATING' && context.operation === 'terminate-instance') ||
            rules.visibleTo(instance, context),
        }),
      },
    },
    'compute.list-instances.status-errored': {
      'second-account-cannot-filter-by-status': unless(
        'matchesStatus',
        (_instance, _query, context) => context.key?.role === 'second',
        true,
      ),
    },
    'compute.list-instances.gpu-type-filter': {
      'second-account-cannot-filter-by-gpu': unless(
        'matchesGpuType',
        (_instance, _query, context) => context.key?.role === 'second',
        true,
      ),
    },
    'compute.scoping.list-not-widened': {
      'account-parameter-widens-the-list': {
        besides: ['compute.scoping.lists-disjoint'],
        patch: unless(
          'instancesInReach',
          (context) =>
            /(?:^|&)(?:account|organi[sz]ation|org|tenant|owner|user|all|scope|project)/u.test(
              context.query,
            ),
          (context) => context.world.instances(),
        ),
      },
    },
    'compute.scoping.filters-stay-inside': {
      'search-by-name-finds-strangers': {
        besides: ['compute.scoping.lists-disjoint'],
        patch: (rules) => ({
          instancesInReach: (context) => {
            const text = rules.readParameter('free_text_search', context);
            const own = rules.instancesInReach(context);
            if (text === undefined || text === '') return own;
            const unknownTargets = otherAccount(context).instances.filter(
              ({ name }) => name === text,
            );
            return [...own, ...unknownTargets];
          },
        }),
      },
      'region-filter-finds-strangers': {
        besides: ['compute.scoping.lists-disjoint', 'compute.list-instances.region-filter'],
        patch: unless(
          'instancesInReach',
          (context) => context.key?.role === 'second' && context.query.includes('region='),
          (context) => context.world.instances(),
        ),
      },
    },
    'compute.scoping.regions-shared': {
      'second-account-has-a-region-less': {
        besides: ['compute.regions.codes-mentioned'],
        patch: amend('regionsBody', (body, context) =>
          context.key?.role === 'second' && Array.isArray(body) ? body.slice(0, -1) : body,
        ),
      },
      'empty-account-has-a-region-less': {
        besides: ['compute.regions.codes-mentioned'],
        patch: amend('regionsBody', (body, context) =>
          context.key?.role === 'empty' && Array.isArray(body) ? body.slice(0, -1) : body,
        ),
      },
    },
    'compute.scoping.presets-shared': {
      'second-account-pays-less': replace('presetRecord', (original, preset, context, query) =>
        original(
          context.key?.role === 'second'
            ? { ...preset, hourlyPrice: preset.hourlyPrice * 0.9 }
            : preset,
          context,
          query,
        ),
      ),
      'second-account-pays-less-in-a-region': replace(
        'presetRecord',
        (original, preset, context, query) =>
          original(
            context.key?.role === 'second' && query.region !== undefined
              ? { ...preset, hourlyPrice: preset.hourlyPrice * 0.95 }
              : preset,
            context,
            query,
          ),
      ),
      'second-account-lacks-a-preset': (rules) =>
        succeeding(rules, 'presets', (json, { key, choices, world }) => {
          const { items, fields } = choices.presets;
          const list = json[items];
          const hidden = world.presets.at(-1)?.id;
          return key?.role === 'second' && Array.isArray(list)
            ? { ...json, [items]: list.filter((preset) => preset[fields.id] !== hidden) }
            : json;
        }),
    },
    'compute.presets.default-order-stable': {
      'second-account-reads-presets-backwards': unless(
        'sortPresets',
        (_presets, query, context) =>
          context.key?.role === 'second' && query.sortField === undefined,
        (presets) => presets.toReversed(),
      ),
    },
  }),
  forbidden('get-instance', [scope('foreign-get'), scope('foreign-get-same')]),
  forbidden('stop-instance', [scope('foreign-stop'), scope('foreign-stop-same')]),
  forbidden('terminate-instance', [scope('foreign-terminate'), scope('foreign-terminate-same')]),
  forbidden('start-instance', [scope('foreign-start'), scope('foreign-start-same')]),
  telltale('get-instance', scope('foreign-get-same')),
  telltale('stop-instance', scope('foreign-stop-same')),
  telltale('terminate-instance', scope('foreign-terminate-same')),
  telltale('start-instance', scope('foreign-start-same')),
  reachable('get-instance', [scope('foreign-get'), scope('foreign-get-same')]),
  reachable('stop-instance', [
    scope('foreign-stop'),
    scope('foreign-stop-same'),
    scope('foreign-stop-changes-nothing'),
  ]),
  reachable('terminate-instance', [
    scope('foreign-terminate'),
    scope('foreign-terminate-same'),
    scope('foreign-terminate-changes-nothing'),
  ]),
  reachable('start-instance', [scope('foreign-start'), scope('foreign-start-same')]),
  acts('stop-instance', 'beginStop', [scope('foreign-stop-changes-nothing')]),
  acts('terminate-instance', 'beginTerminate', [scope('foreign-terminate-changes-nothing')]),
];
