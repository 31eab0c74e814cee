/** Who may see and do what, and what bodies pass for JSON. */

import { type ComputeRules, type RequestContext, callerOf, headerValues } from '../context.ts';
import type { Cursor, InstanceQuery } from '../model.ts';
import { faultTable, replace } from './answering.ts';

type Reader = (text: string) => unknown;

/** A body that is no JSON is read in some other way, if there is one, before it is refused. */
function readsAlso(operation: RequestContext['operation'], read: Reader) {
  return replace('parseBody', (original, context) => {
    try {
      return original(context);
    } catch (refusal) {
      if (context.operation !== operation) throw refusal;
      const value = attempt(() => read(Buffer.from(context.body).toString()));
      if (value === undefined) throw refusal;
      return value;
    }
  });
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The first object of a text, whatever follows it: as a decoder of streams reads. */
const first: Reader = (text) => JSON.parse(text.slice(0, text.indexOf('}') + 1));

const spelled =
  (pattern: RegExp, correct: string): Reader =>
  (text) =>
    pattern.test(text) ? JSON.parse(text.replaceAll(pattern, correct)) : undefined;

const malformed = (['stop', 'terminate'] as const).flatMap((action) =>
  faultTable({
    [`compute.${action}-instance.malformed-json`]: {
      [`${action}-takes-text-behind-its-body`]: readsAlso(`${action}-instance`, first),
      [`${action}-takes-single-quotes`]: readsAlso(`${action}-instance`, spelled(/'/gu, '"')),
      [`${action}-takes-a-trailing-comma`]: readsAlso(`${action}-instance`, spelled(/,\}/gu, '}')),
      [`${action}-takes-any-bytes-for-text`]: readsAlso(`${action}-instance`, (text) =>
        text.includes('\uFFFD') ? JSON.parse(text) : undefined,
      ),
    },
  }),
);

/** Cursors of some lists are handles that anybody may redeem: they page through the account that they were issued to. */
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

/** Records name their account, and whoever names an account sees its instances. */
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

const policies = (['stop', 'start', 'terminate'] as const).flatMap((action) =>
  faultTable({
    [`compute.authentication.policy-refuses-${action}`]: {
      [`policy-lets-the-forbidden-key-${action}`]: replace(
        'isAllowed',
        (original, key, operation, context) =>
          (key.role === 'forbidden' && operation === `${action}-instance`) ||
          original(key, operation, context),
      ),
    },
  }),
);

const scopes = faultTable({
  'compute.scoping.foreign-cursor': {
    'anybody-redeems-cursors-of-sorted-lists': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: bearerCursors(({ sortField }) => sortField !== undefined),
    },
    'anybody-redeems-cursors-of-searches': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: bearerCursors(({ text }) => text !== undefined),
    },
    'anybody-redeems-cursors-of-filtered-lists': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: bearerCursors(({ region }) => region !== undefined),
    },
  },
  'compute.scoping.list-not-widened': {
    'list-of-the-account-that-a-parameter-names': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: widenedBy(({ query }) => new URLSearchParams(query).getAll('account_id')),
    },
    'list-of-the-account-that-a-header-names': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: widenedBy((context) => headerValues(context, 'x-account-id')),
    },
  },
});

export const accessFaults = [...malformed, ...policies, ...scopes];
