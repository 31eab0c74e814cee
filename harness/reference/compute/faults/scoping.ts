/** Accounts that see, touch or learn of each other. */

import type { RequestContext } from '../context.ts';
import {
  errorCodes,
  type Instance,
  type InstanceState,
  notFound,
  type Operation,
  Refusal,
} from '../model.ts';
import {
  chained,
  fails,
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

/** What is stated of each operation on foreign instances; a start is only seen to be refused. */
const foreign = (
  [
    ['get-instance', 'get', ['-same'], undefined],
    ['stop-instance', 'stop', ['-same', '-changes-nothing'], 'beginStop'],
    ['terminate-instance', 'terminate', ['-same', '-changes-nothing'], 'beginTerminate'],
    ['start-instance', 'start', ['-same'], undefined],
  ] as const
).flatMap(([operation, verb, more, act]) => {
  const aim = `compute.scoping.foreign-${verb}`;
  const same = more.filter((slug) => slug === '-same').map((slug) => `${aim}${slug}`);
  const here = (context: RequestContext): boolean => context.operation === operation;
  return [
    ...faultTable({
      [aim]: {
        [`foreign-${operation}-is-403`]: {
          besides: same,
          patch: amend('visibleTo', (visible, _instance, context) => {
            if (!visible && here(context)) throw new Refusal(403, errorCodes[403], 'Not yours.');
            return visible;
          }),
        },
        [`foreign-${operation}-is-served`]: {
          besides: more.map((slug) => `${aim}${slug}`),
          patch: servesSecond(here),
        },
      },
    }),
    ...same.flatMap((id) =>
      faultTable({
        [id]: {
          [`foreign-${operation}-has-a-telltale`]: enveloping((error, { status }, context) => ({
            error:
              status === 404 && here(context) && foreignOf(context) !== undefined
                ? { ...error, owner: 'other' }
                : error,
          })),
        },
      }),
    ),
    ...(act === undefined
      ? []
      : faultTable({
          [`${aim}-changes-nothing`]: {
            [`foreign-${operation}-is-404-and-acts`]: (rules) => ({
              findInstance: (context) => {
                const instance = foreignOf(context);
                if (here(context) && instance?.state === 'RUNNING') rules[act](instance, context);
                return rules.findInstance(context);
              },
            }),
          },
        })),
  ];
});

/** The second account reaches the instances of all accounts. */
function servesSecond(when: (context: RequestContext) => boolean): Patch {
  return unless('visibleTo', (_instance, context) => isSecond(context) && when(context), true);
}

/** An instance of another account is reached by one operation in one state. */
function reaches(asked: Operation, found: InstanceState): Patch {
  return unless(
    'visibleTo',
    ({ state }, { operation }) => operation === asked && state === found,
    true,
  );
}

const isSecond = ({ key }: RequestContext): boolean => key?.role === 'second';

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
      'foreign-instance-is-read-once-terminated': {
        besides: ['compute.scoping.foreign-get-same'],
        patch: reaches('get-instance', 'TERMINATED'),
      },
      'foreign-instance-is-read-while-stopped': {
        besides: ['compute.scoping.foreign-get-same'],
        patch: reaches('get-instance', 'STOPPED'),
      },
      'foreign-instance-is-read-once-errored': {
        besides: ['compute.scoping.foreign-get-same'],
        patch: reaches('get-instance', 'ERRORED'),
      },
      'foreign-instance-is-read-by-its-id-in-capitals': unless(
        'visibleTo',
        (_instance, { operation, path }) =>
          operation === 'get-instance' && /[A-F]/u.test(path.slice(path.lastIndexOf('/'))),
        true,
      ),
      'empty-account-reads-strangers': unless(
        'visibleTo',
        (_instance, context) =>
          context.key?.role === 'empty' && context.operation === 'get-instance',
        true,
      ),
    },
    'compute.authentication.empty-account': {
      'empty-account-filters-are-404': fails(
        'instancesInReach',
        (context) => context.key?.role === 'empty' && context.query !== '',
        () => notFound(),
      ),
    },
    'compute.scoping.lists-disjoint': {
      'second-account-lists-a-stranger': {
        patch: showsAStranger(isSecond),
      },
      'sort-by-status-shows-a-stranger': {
        exercisedBy: ['compute.list-instances.sort-status'],
        patch: showsAStranger((context) => /sort_field=STATUS.*DESC/u.test(context.query)),
      },
      'window-of-the-second-account-shows-a-stranger': {
        exercisedBy: ['compute.scoping.filters-stay-inside'],
        patch: showsAStranger(
          (context) => isSecond(context) && /date_range_begin.*date_range_end/u.test(context.query),
        ),
      },
    },
    'compute.scoping.foreign-terminate': {
      'foreign-terminate-of-what-is-stopped-is-served': reaches('terminate-instance', 'STOPPED'),
      'foreign-terminate-of-what-is-terminated-is-409': {
        besides: ['compute.scoping.foreign-terminate-same'],
        patch: reaches('terminate-instance', 'TERMINATED'),
      },
      'terminating-can-be-terminated-by-strangers': {
        says: 'Any account may terminate once more what is being destroyed.',
        patch: chained(
          (rules) => slowly(rules, 'TERMINATING'),
          reaches('terminate-instance', 'TERMINATING'),
        ),
      },
    },
    'compute.list-instances.status-errored': {
      'second-account-cannot-filter-by-status': unless(
        'matchesStatus',
        (_instance, _query, context) => isSecond(context),
        true,
      ),
    },
    'compute.list-instances.gpu-type-filter': {
      'second-account-cannot-filter-by-gpu': unless(
        'matchesGpuType',
        (_instance, _query, context) => isSecond(context),
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
      'primary-key-lists-terminated-strangers': {
        besides: ['compute.scoping.lists-disjoint'],
        patch: (rules) => ({
          instancesInReach: (context) => {
            const own = rules.instancesInReach(context);
            const isAsked = rules.readParameter('status', context) === 'terminated';
            return context.key?.role === 'primary' && isAsked
              ? [...otherAccount(context).instances, ...own]
              : own;
          },
        }),
      },
    },
    'compute.scoping.regions-shared': {
      'second-account-has-a-region-less': {
        besides: ['compute.regions.codes-mentioned'],
        patch: amend('regionsBody', (body, context) =>
          isSecond(context) && Array.isArray(body) ? body.slice(0, -1) : body,
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
      'second-account-pays-less-in-a-region': replace(
        'presetRecord',
        (original, preset, context, query) =>
          original(
            isSecond(context) && query.region !== undefined
              ? { ...preset, hourlyPrice: preset.hourlyPrice * 0.95 }
              : preset,
            context,
            query,
          ),
      ),
      'second-account-lacks-a-preset': succeeding('presets', (json, { key, choices, world }) => {
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
        (_presets, query, context) => isSecond(context) && query.sortField === undefined,
        (presets) => presets.toReversed(),
      ),
    },
    'compute.scoping.foreign-stop': {
      'foreign-stop-of-what-is-stopped-is-accepted': {
        besides: ['compute.scoping.foreign-stop-same'],
        patch: reaches('stop-instance', 'STOPPED'),
      },
      'foreign-stop-of-what-is-terminated-is-409': {
        besides: ['compute.scoping.foreign-stop-same'],
        patch: reaches('stop-instance', 'TERMINATED'),
      },
    },
    'compute.scoping.foreign-start': {
      'foreign-start-is-404-and-acts': {
        besides: ['compute.states.order-kept'],
        patch: (rules) => ({
          findInstance: (context) => {
            const named = foreignOf(context);
            if (context.operation === 'start-instance' && named?.state === 'STOPPED') {
              rules.beginStart(named, context);
            }
            return rules.findInstance(context);
          },
        }),
      },
    },
  }),
  ...foreign,
];
