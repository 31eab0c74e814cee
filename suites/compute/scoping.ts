import { instanceSortFields, sortDirections } from '../../schemas/compute/list-instances.ts';
import { showsNoneOf } from '../../harness/checks/compute/scoping.ts';
import { type WireRecord, instancesOf, textOf } from '../../harness/checks/compute/records.ts';
import { disjoint } from '../../harness/checks/collection/walk.ts';
import { type ListQuery, readInstances } from '../../harness/drivers/collection/reading.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { nextCursor } from '../../harness/checks/collection/bounds.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';

/** Pages of a walk that are looked through for what is foreign. */
const PAGES = 3;

const MAX_OWNER_PAIRS = 16;

/** Ways in which somebody might ask for more than the own account. */
const widenings: readonly string[] = [
  'all=true',
  'scope=all',
  'scope=organization',
  'account=*',
  'account_id=*',
  'organization_id=*',
  'organisation_id=*',
  'org_id=*',
  'owner=*',
  'user_id=*',
  'tenant_id=*',
  'include=foreign',
  'admin=true',
];

/** Members by which records name whom an instance belongs to, and names by which a request may do so. */
const OWNER_NAME = /account|org|owner|tenant|user|project|team/iu;
const ownerNames = [
  'account_id',
  'organization_id',
  'org_id',
  'tenant_id',
  'owner_id',
  'project_id',
];

/** Names and values that ask for what belongs to the primary account, as its records tell. */
async function ownerPairs(t: ComputeContext): Promise<readonly (readonly [string, string])[]> {
  const [record] = instancesOf(await t.api.list({ size: 1 })) ?? [];
  const told = Object.entries(record ?? {}).filter(
    (entry): entry is [string, string] =>
      OWNER_NAME.test(entry[0]) && typeof entry[1] === 'string' && entry[1] !== '',
  );
  const values = new Set(told.map(([, value]) => value));
  const guessed = [...values].flatMap((value) =>
    ownerNames.map((name): readonly [string, string] => [name, value]),
  );
  return [...told, ...guessed].slice(0, MAX_OWNER_PAIRS);
}

/** Whose instances the second key must never see. Throws `NotExercised` when there are none. */
async function primaryIds(t: ComputeContext): Promise<readonly string[]> {
  const { ids, readable } = await readInstances(t.api);
  if (!readable) throw new Inconclusive('the instances of the primary key cannot be listed');
  if (ids.length === 0) throw new NotExercised('the account of keys.primary has no instances');
  return ids;
}

/** Asks with one key for what the newest instance of the other account is found by. */
async function judgeFilters(
  t: ComputeContext,
  foreign: readonly string[],
  owner: 'primary' | 'second',
  as: 'primary' | 'second',
): Promise<void> {
  const [newest] = instancesOf(await t.api.list({ size: 1 }, { as: owner })) ?? [];
  if (newest === undefined) throw new NotExercised(`the account of keys.${owner} has no instances`);
  const queries = [
    { free_text_search: textOf(newest, 'name')?.slice(0, 255) },
    { free_text_search: textOf(newest, 'instance_id') },
    { gpu_type: textOf(newest, 'gpu_type') },
    { region: textOf(newest, 'region') },
    { status: 'running' },
    { status: 'terminated' },
    { date_range_begin: '2000-01-01T00:00:00Z' },
    { date_range_end: '2100-01-01T00:00:00Z' },
    { status: 'errored' },
    ...Object.keys(instanceSortFields).map((sort_field, at) => ({
      sort_field,
      sort_direction: sortDirections[at % 2],
    })),
    // And two at a time.
    { date_range_begin: '2000-01-01T00:00:00Z', date_range_end: '2100-01-01T00:00:00Z' },
    { region: textOf(newest, 'region'), status: 'running' },
    { gpu_type: textOf(newest, 'gpu_type'), sort_field: 'NAME' },
    { region: textOf(newest, 'region'), gpu_type: textOf(newest, 'gpu_type') },
  ];
  for (const query of queries) {
    const page = await t.api.list({ ...query, size: 200 }, { as });
    t.judge(
      'compute.scoping.filters-stay-inside',
      showsNoneOf(foreign, page, `The filter ${JSON.stringify(query)}`),
    );
  }
  // Nor does what comes after the first page.
  const { ids } = await readInstances(t.api, {}, { as, mostPages: 1 });
  const small = {
    as,
    size: Math.max(1, Math.min(199, Math.ceil(ids.length / PAGES))),
    mostPages: PAGES,
  };
  for (const page of (await readInstances(t.api, {}, small)).exchanges) {
    t.judge('compute.scoping.filters-stay-inside', showsNoneOf(foreign, page, 'A page of a walk'));
  }
}

/** Lists of every kind: each may have cursors of another make. */
function cursorQueries(newest: WireRecord | undefined): readonly ListQuery[] {
  if (newest === undefined) return [];
  const region = textOf(newest, 'region');
  return [
    {},
    { sort_field: 'NAME' },
    { sort_field: 'HOURLY_RATE', sort_direction: 'ASC' },
    { free_text_search: textOf(newest, 'gpu_type') },
    { region },
    { region, sort_field: 'NAME', sort_direction: 'ASC' },
  ];
}

export default computeSection('scoping', (test) => {
  test(
    'the lists of two accounts have nothing in common',
    { judges: ['compute.scoping.lists-disjoint'], requests: 12 },
    async (t) => {
      const first = await readInstances(t.api);
      const second = await readInstances(t.api, {}, { as: 'second' });
      const again = await readInstances(t.api);
      if (first.ids.length === 0 || second.ids.length === 0) {
        throw new NotExercised('needs instances in the accounts of keys.primary and keys.second');
      }
      t.judge('compute.scoping.lists-disjoint', disjoint(first, second, again));
    },
  );

  test(
    'no parameter widens the list to another account',
    { judges: ['compute.scoping.list-not-widened'], requests: 48 },
    async (t) => {
      const foreign = await primaryIds(t);
      for (const query of widenings) {
        const page = await t.api.list(`${query}&size=200`, { as: 'second' });
        t.judge(
          'compute.scoping.list-not-widened',
          showsNoneOf(foreign, page, `The query ${query}`),
        );
      }
      for (const [name, value] of await ownerPairs(t)) {
        const header = `X-${name.replaceAll('_', '-')}`;
        for (const [what, query, headers] of [
          [`The parameter ${name}`, { [name]: value }, []],
          [`The header ${header}`, {}, [[header, value]]],
        ] as const) {
          const page = await t.api.list({ ...query, size: 200 }, { as: 'second', headers });
          t.judge('compute.scoping.list-not-widened', showsNoneOf(foreign, page, what));
        }
      }
    },
  );

  test(
    'filters and searches for what another account has stay inside',
    { judges: ['compute.scoping.filters-stay-inside'], requests: 54 },
    async (t) => {
      await judgeFilters(t, await primaryIds(t), 'primary', 'second');
      const { ids } = await readInstances(t.api, {}, { as: 'second' });
      if (ids.length > 0) await judgeFilters(t, ids, 'second', 'primary');
    },
  );

  test(
    'a cursor of one account gives another nothing of it',
    { judges: ['compute.scoping.foreign-cursor'], requests: 24 },
    async (t) => {
      let cursors = 0;
      for (const [owner, as] of [
        ['primary', 'second'],
        ['second', 'primary'],
      ] as const) {
        const { ids: foreign, records } = await readInstances(t.api, {}, { as: owner });
        for (const query of cursorQueries(records[0])) {
          const cursor = nextCursor(await t.api.list({ ...query, size: 1 }, { as: owner }));
          if (typeof cursor !== 'string') continue;
          cursors += 1;
          const page = await t.api.list({ ...query, size: 1, cursor }, { as });
          const what = `A cursor of keys.${owner} for ${JSON.stringify(query)}`;
          t.judge('compute.scoping.foreign-cursor', showsNoneOf(foreign, page, what));
        }
      }
      if (cursors === 0) throw new NotExercised('no account has a second page of one instance');
    },
  );
});
