/** Accounts that see, change or learn about each other. */

import { callerOf, type ComputeRules, headerValues, type RequestContext } from '../context.ts';
import {
  type Cursor,
  errorCodes,
  type InstanceQuery,
  type InstanceState,
  type Operation,
  Refusal,
} from '../model.ts';
import {
  amend,
  answering,
  before,
  chained,
  enveloping,
  faultTable,
  forces,
  foreignOf,
  isSecond,
  isSuccess,
  lingering,
  otherAccount,
  type Patch,
  replace,
  succeeding,
  each,
  gathered,
} from './words.ts';

/** Cursors of some lists are handles that any key may redeem: they page through the account that they were issued to. */
function bearerCursors(isHandle: (query: InstanceQuery) => boolean) {
  return (rules: ComputeRules): Partial<ComputeRules> => {
    const issued = new Map<string, { readonly cursor: Cursor; readonly account: string }>();
    const foreign = (context: RequestContext) => {
      const handle = issued.get(rules.readParameter('cursor', context) ?? '');
      return handle === undefined || handle.account === callerOf(context).name ? undefined : handle;
    };
    return {
      encodeCursor: (cursor, context) => {
        const text = rules.encodeCursor(cursor, context);
        if (cursor.list === 'instances' && isHandle(cursor.query)) {
          issued.set(text, { cursor, account: callerOf(context).name });
        }
        return text;
      },
      decodeCursor: (text, list, context) =>
        foreign(context)?.cursor ?? rules.decodeCursor(text, list, context),
      instancesInReach: (context) => {
        const { account } = foreign(context) ?? {};
        return account === undefined
          ? rules.instancesInReach(context)
          : context.world.instances().filter((one) => one.account === account);
      },
    };
  };
}

/** Records name their account, and a request that names an account sees the instances of that account. */
const widenedBy =
  (named: (context: RequestContext) => readonly string[]) =>
  (rules: ComputeRules): Partial<ComputeRules> => ({
    listRecord: (instance, at, context, query) => ({
      ...rules.listRecord(instance, at, context, query),
      account_id: `acc-${instance.account}-7`,
    }),
    instancesInReach: (context) => {
      const given = named(context);
      const others = context.world
        .instances()
        .filter(({ account }) => given.includes(`acc-${account}-7`));
      return others.length > 0 ? others : rules.instancesInReach(context);
    },
  });

/** The second key reaches the instances of all accounts. */
function servesSecond(when: (context: RequestContext) => boolean): Patch {
  return forces('visibleTo', true, (_instance, context) => isSecond(context) && when(context));
}

/** A list sometimes shows an instance of another account. */
function showsAStranger(isShown: (context: RequestContext) => boolean): Patch {
  return amend('instancesInReach', (own, context) => {
    const stranger = otherAccount(context).instances[0];
    return isShown(context) && stranger !== undefined ? [...own, stranger] : own;
  });
}

/** The stated requirements of each operation on foreign instances. Of a start, a case only sees the refusal. */
const foreign = gathered(
  [
    ['get-instance', undefined],
    ['stop-instance', 'beginStop'],
    ['terminate-instance', 'beginTerminate'],
    ['start-instance', undefined],
  ],
  ([operation, act]) => {
    const aim = `foreign-${operation.replace('-instance', '')}`;
    const changes = `${aim}-changes-nothing`;
    const here = (context: RequestContext): boolean => context.operation === operation;
    return {
      [`${aim} + ${aim}-same: foreign-${operation}-is-403`]: amend(
        'visibleTo',
        (visible, _instance, context) => {
          if (!visible && here(context)) throw new Refusal(403, errorCodes[403], 'Not yours.');
          return visible;
        },
      ),
      [`${aim} + ${aim}-same${act ? ` + ${changes}` : ''}: foreign-${operation}-is-served`]:
        servesSecond(here),
      [`${aim}-same: foreign-${operation}-has-a-telltale`]: enveloping(
        (error, { status }, context) => ({
          error:
            status === 404 && here(context) && foreignOf(context) !== undefined
              ? { ...error, owner: 'other' }
              : error,
        }),
      ),
      ...(act && {
        [`${changes}: foreign-${operation}-is-404-and-acts`]: before('findInstance', (context) => {
          const instance = foreignOf(context);
          if (here(context) && instance?.state === 'RUNNING') context.rules[act](instance, context);
        }),
      }),
    };
  },
);

/** One operation reaches the instances of other accounts in one state. */
function reaches(asked: Operation, found: InstanceState): Patch {
  return forces(
    'visibleTo',
    true,
    ({ state }, { operation }) => operation === asked && state === found,
  );
}

/** The policy lets the forbidden key read. */
const readOnly = amend(
  'isAllowed',
  (isAllowed, _key, _operation, { method }) => isAllowed || method === 'GET',
);

export const scopingFaults = faultTable('compute.scoping', {
  'foreign-cursor + lists-disjoint: anybody-redeems-cursors-of-sorted-lists': bearerCursors(
    ({ sortField }) => sortField !== undefined,
  ),
  'foreign-cursor + lists-disjoint: anybody-redeems-cursors-of-filtered-lists': bearerCursors(
    ({ region }) => region !== undefined,
  ),
  'list-not-widened + lists-disjoint: list-of-the-account-that-a-parameter-names': widenedBy(
    ({ query }) => new URLSearchParams(query).getAll('account_id'),
  ),
  'list-not-widened + lists-disjoint: list-of-the-account-that-a-header-names': widenedBy(
    (context) => headerValues(context, 'x-account-id'),
  ),
  'filters-stay-inside + lists-disjoint: page-two-of-the-second-account-shows-a-stranger': amend(
    'selectInstances',
    (page, query, _after, context) => {
      const [stranger] = otherAccount(context).instances;
      return context.key?.role === 'second' && query.page > 1 && stranger !== undefined
        ? { ...page, items: [...page.items.slice(0, -1), stranger] }
        : page;
    },
  ),
  'filters-stay-inside + lists-disjoint: primary-key-lists-terminated-strangers': amend(
    'instancesInReach',
    (own, context) =>
      context.key?.role === 'primary' && /(?:^|&)status=terminated\b/u.test(context.query)
        ? [...otherAccount(context).instances, ...own]
        : own,
  ),
  'lists-disjoint, met by compute.list-instances.sort-status: sort-by-status-shows-a-stranger':
    showsAStranger((context) => /sort_field=STATUS.*DESC/u.test(context.query)),
  'lists-disjoint, met by filters-stay-inside: window-of-the-second-account-shows-a-stranger':
    showsAStranger(
      (context) =>
        isSecond(context) && /date_range_(?:begin|end).*date_range_/u.test(context.query),
    ),
  'regions-shared + compute.regions.codes-mentioned: second-account-has-a-region-less': amend(
    'regionsBody',
    (body, context) => (isSecond(context) && Array.isArray(body) ? body.slice(0, -1) : body),
  ),
  'regions-shared + compute.regions.codes-mentioned: empty-account-has-a-region-less': amend(
    'regionsBody',
    (body, context) =>
      context.key?.role === 'empty' && Array.isArray(body) ? body.slice(0, -1) : body,
  ),
  'regions-shared + compute.regions.codes-mentioned: key-that-only-reads-has-a-region-less':
    chained(
      readOnly,
      amend('regionsBody', (body, { key }) =>
        key?.role === 'forbidden' && Array.isArray(body) ? body.slice(0, -1) : body,
      ),
    ),
  'presets-shared: key-that-only-reads-has-a-preset-less': chained(
    readOnly,
    amend('presetsInOrder', (presets, { key }) =>
      key?.role === 'forbidden' ? presets.slice(1) : presets,
    ),
  ),
  'presets-shared: second-account-pays-less-in-a-region': replace(
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
  'presets-shared: second-account-turns-later-pages-round': amend(
    'presetsInOrder',
    (presets, context) =>
      isSecond(context) && context.query.includes('cursor=') ? presets.toReversed() : presets,
  ),
  'presets-shared: second-account-lacks-a-preset': succeeding(
    'presets',
    (json, { key, choices, world }) => {
      const { items, fields } = choices.presets;
      const list = json[items];
      const hidden = world.presets.at(-1)?.id;
      return key?.role === 'second' && Array.isArray(list)
        ? { ...json, [items]: list.filter((preset) => preset[fields.id] !== hidden) }
        : json;
    },
  ),
  'foreign-get + foreign-get-same: single-instance-is-kept-for-whoever-asks-next': (rules) => {
    const kept = new Map<string, { readonly at: number; readonly json: unknown }>();
    return answering((answer, { operation, path, now }) => {
      if (operation !== 'get-instance') return answer;
      if (isSuccess(answer)) kept.set(path, { at: now, json: answer.json });
      const known = kept.get(path);
      return known !== undefined && now - known.at < 300
        ? { ...answer, status: 200, json: known.json }
        : answer;
    })(rules);
  },
  'foreign-get + foreign-get-same: foreign-instance-is-read-once-it-erred': reaches(
    'get-instance',
    'ERRORED',
  ),
  'foreign-get + foreign-get-same: foreign-instance-is-read-once-terminated': reaches(
    'get-instance',
    'TERMINATED',
  ),
  ...gathered(['STOPPING', 'TERMINATING'], (state) => ({
    [`foreign-get: foreign-instance-is-read-while-${state.toLowerCase()}`]: chained(
      lingering(state),
      reaches('get-instance', state),
    ),
  })),
  ...each.forces('visibleTo', true, {
    'foreign-get: foreign-instance-is-read-by-its-id-in-capitals': (
      _instance,
      { operation, path },
    ) => operation === 'get-instance' && /[A-F]/u.test(path.slice(path.lastIndexOf('/'))),
    'foreign-get: empty-account-reads-strangers': (_instance, context) =>
      context.key?.role === 'empty' && context.operation === 'get-instance',
  }),
  'foreign-stop: foreign-stop-with-a-note-is-served': forces(
    'visibleTo',
    true,
    (_instance, { operation, body }) => operation === 'stop-instance' && body.length > 0,
  ),
  'foreign-terminate + foreign-terminate-same: foreign-terminate-of-what-is-terminated-is-409':
    reaches('terminate-instance', 'TERMINATED'),
  'foreign-stop + foreign-stop-same: foreign-stop-of-what-is-terminated-is-409': reaches(
    'stop-instance',
    'TERMINATED',
  ),
  'foreign-start + compute.states.order-kept: foreign-start-is-404-and-acts': before(
    'findInstance',
    (context) => {
      const named = foreignOf(context);
      if (context.operation === 'start-instance' && named?.state === 'STOPPED') {
        context.rules.beginStart(named, context);
      }
    },
  ),
  ...foreign,
});
