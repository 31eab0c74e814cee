/** Accounts that see, touch or learn of each other. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance, Operation } from '../model.ts';
import { Refusal, errorCodes, notFound } from '../refusal.ts';
import { enveloping, succeeding } from './answering.ts';
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
const listing = (slug: string): string => `compute.list-instances.${slug}`;

/** A list that shows an instance of another account now and then. */
function showsAStranger(
  name: string,
  summary: string,
  isShown: (context: RequestContext) => boolean,
  exercisedBy: readonly string[] = [],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks: [scope('lists-disjoint')],
    exercisedBy,
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) => {
        const own = rules.instancesInReach(context);
        const stranger = otherAccount(context).instances[0];
        return isShown(context) && stranger !== undefined ? [...own, stranger] : own;
      },
    }),
  };
}

export const scopingFaults = declareFaults<ComputeRules>([
  forbidden('get-instance', [scope('foreign-get'), scope('foreign-get-same')]),
  forbidden('stop-instance', [scope('foreign-stop'), scope('foreign-stop-same')]),
  forbidden('terminate-instance', [scope('foreign-terminate'), scope('foreign-terminate-same')]),
  forbidden('start-instance', [scope('foreign-start')]),
  telltale('get-instance', scope('foreign-get-same')),
  telltale('stop-instance', scope('foreign-stop-same')),
  telltale('terminate-instance', scope('foreign-terminate-same')),
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
  reachable('start-instance', [scope('foreign-start')]),
  {
    name: 'empty-account-reads-strangers',
    summary: 'The account without instances can read those of all others.',
    breaks: [scope('foreign-get')],
    patch: (rules) => ({
      ...rules,
      visibleTo: (instance, context) =>
        (context.key?.role === 'empty' && context.operation === 'get-instance') ||
        rules.visibleTo(instance, context),
    }),
  },
  {
    name: 'empty-account-filters-are-404',
    summary: 'A filtered list of the account without instances is not found.',
    breaks: ['compute.authentication.empty-account'],
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) => {
        if (context.key?.role === 'empty' && context.query !== '') throw notFound();
        return rules.instancesInReach(context);
      },
    }),
  },
  acts('stop-instance', 'beginStop', [scope('foreign-stop-changes-nothing')]),
  acts('terminate-instance', 'beginTerminate', [scope('foreign-terminate-changes-nothing')]),
  showsAStranger(
    'second-account-lists-a-stranger',
    'The list of the second account begins with the newest instance of another one.',
    (context) => context.key?.role === 'second',
  ),
  showsAStranger(
    'sort-by-status-shows-a-stranger',
    'A descending sort by status shows the newest instance of another account.',
    (context) => /sort_field=STATUS.*DESC/u.test(context.query),
    [listing('sort-status')],
  ),
  showsAStranger(
    'window-of-the-second-account-shows-a-stranger',
    'A window with a begin and an end shows the second account an instance of another one.',
    (context) =>
      context.key?.role === 'second' && /date_range_begin.*date_range_end/u.test(context.query),
    [scope('filters-stay-inside')],
  ),
  {
    name: 'terminating-can-be-terminated-by-strangers',
    summary: 'Any account may terminate once more what is being destroyed.',
    breaks: [scope('foreign-terminate')],
    patch: (rules) => ({
      ...slowly(rules, 'TERMINATING'),
      visibleTo: (instance, context) =>
        (instance.state === 'TERMINATING' && context.operation === 'terminate-instance') ||
        rules.visibleTo(instance, context),
    }),
  },
  {
    name: 'second-account-cannot-filter-by-status',
    summary: 'The status filter does not count for the second account.',
    breaks: [listing('status-errored')],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        context.key?.role === 'second' || rules.matchesStatus(instance, query, context),
    }),
  },
  {
    name: 'second-account-cannot-filter-by-gpu',
    summary: 'The GPU filter does not count for the second account.',
    breaks: [listing('gpu-type-filter')],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        context.key?.role === 'second' || rules.matchesGpuType(instance, query, context),
    }),
  },
  {
    name: 'account-parameter-widens-the-list',
    summary: 'A parameter that names an account or an organisation shows all instances there are.',
    breaks: [scope('list-not-widened'), scope('lists-disjoint')],
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) =>
        /(?:^|&)(?:account|organi[sz]ation|org|tenant|owner|user|all|scope|project)/u.test(
          context.query,
        )
          ? context.world.instances()
          : rules.instancesInReach(context),
    }),
  },
  {
    name: 'search-by-name-finds-strangers',
    summary: 'A search for the name of a foreign instance finds it.',
    breaks: [scope('filters-stay-inside'), scope('lists-disjoint')],
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) => {
        const text = rules.readParameter('free_text_search', context);
        const own = rules.instancesInReach(context);
        if (text === undefined || text === '') return own;
        const unknownTargets = otherAccount(context).instances.filter(({ name }) => name === text);
        return [...own, ...unknownTargets];
      },
    }),
  },
  {
    name: 'region-filter-finds-strangers',
    summary: 'The region filter of the second account shows what others run there.',
    breaks: [scope('filters-stay-inside'), scope('lists-disjoint'), listing('region-filter')],
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) =>
        context.key?.role === 'second' && context.query.includes('region=')
          ? context.world.instances()
          : rules.instancesInReach(context),
    }),
  },
  {
    name: 'second-account-has-a-region-less',
    summary: 'The regions of the second account lack the last one.',
    breaks: [scope('regions-shared'), 'compute.regions.codes-mentioned'],
    patch: (rules) => ({
      ...rules,
      regionsBody: (context) => {
        const body = rules.regionsBody(context);
        return context.key?.role === 'second' && Array.isArray(body) ? body.slice(0, -1) : body;
      },
    }),
  },
  {
    name: 'empty-account-has-a-region-less',
    summary: 'The regions of an account without instances lack the last one.',
    breaks: [scope('regions-shared'), 'compute.regions.codes-mentioned'],
    patch: (rules) => ({
      ...rules,
      regionsBody: (context) => {
        const body = rules.regionsBody(context);
        return context.key?.role === 'empty' && Array.isArray(body) ? body.slice(0, -1) : body;
      },
    }),
  },
  {
    name: 'second-account-pays-less',
    summary: 'The second account is shown lower prices.',
    breaks: [scope('presets-shared')],
    patch: (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) =>
        rules.presetRecord(
          context.key?.role === 'second'
            ? { ...preset, hourlyPrice: preset.hourlyPrice * 0.9 }
            : preset,
          context,
          query,
        ),
    }),
  },
  {
    name: 'second-account-pays-less-in-a-region',
    summary: 'The second account is shown lower prices where it asks for a region.',
    breaks: [scope('presets-shared')],
    patch: (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) =>
        rules.presetRecord(
          context.key?.role === 'second' && query.region !== undefined
            ? { ...preset, hourlyPrice: preset.hourlyPrice * 0.95 }
            : preset,
          context,
          query,
        ),
    }),
  },
  {
    name: 'second-account-reads-presets-backwards',
    summary: 'Without a sort field the presets come to the second account in reversed order.',
    breaks: ['compute.presets.default-order-stable'],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) =>
        context.key?.role === 'second' && query.sortField === undefined
          ? presets.toReversed()
          : rules.sortPresets(presets, query, context),
    }),
  },
  {
    name: 'second-account-lacks-a-preset',
    summary: 'The last preset is not shown to the second account.',
    breaks: [scope('presets-shared')],
    patch: (rules) =>
      succeeding(rules, 'presets', (json, { key, choices, world }) => {
        const { items, fields } = choices.presets;
        const list = json[items];
        const hidden = world.presets.at(-1)?.id;
        return key?.role === 'second' && Array.isArray(list)
          ? { ...json, [items]: list.filter((preset) => preset[fields.id] !== hidden) }
          : json;
      }),
  },
]);
