/** Requests of two accounts that reveal what one can see of the other. */

import { isDeepStrictEqual } from 'node:util';
import { instanceSortFields, sortDirections } from '../../../schemas/compute/list-instances.ts';
import { isInformative } from '../../checks/compute/answers.ts';
import { type WireRecord, instancesOf, isSuccess, textOf } from '../../checks/compute/records.ts';
import { foreignNotFound } from '../../checks/compute/scoping.ts';
import { mayBeAutomatic } from '../../checks/compute/actions.ts';
import { lastingChange, restlessIn, unchanged } from '../../checks/compute/record-relations.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import { type Judgement, together } from '../../checks/judgement.ts';
import { jsonBody, canonicalSets } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { judgeOrLack, Inconclusive, NotExercised } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import { readRegionCodes } from '../../target/bindings.ts';
import { likeUnknownInstance, NOTED } from './actions.ts';
import { type ActionOptions, type ComputeContext, lackOf, type Observation } from './api.ts';
import { wholePresets } from '../collection/instances.ts';
import type { InstanceProbe } from './instance-probe.ts';
import {
  type Listing,
  type ListQuery,
  readInstances,
  readPresetList,
} from '../collection/reading.ts';

/** The codes, if the target file says how to read them, otherwise the whole body. The order within a set does not matter. */
export function regionsOf({ bindings }: ComputeContext, answer: Exchange): string {
  const body = jsonBody(answer);
  if (!isSuccess(answer) || !body.ok) throw new Inconclusive('the regions cannot be read');
  const path = bindings.regions?.codes;
  const codes = path === undefined ? undefined : readRegionCodes(body.value, path);
  return canonicalSets(codes?.ok === true ? codes.value : body.value);
}

/** A key whose reading of shared data is compared with that of the primary key. */
export type Reader = 'second' | 'empty' | 'forbidden';

/** What one account reads, what the other reads, and the first account again unless the two are equal. */
type Readings = readonly [first: Listing, other: Listing, later: Listing];

/** Reads the presets that a query selects, with two accounts. Throws `Inconclusive` when they cannot be read. */
async function readings(t: ComputeContext, query: ListQuery, other: Reader): Promise<Readings> {
  if (t.bindings.presets?.items === undefined) throw lackOf('bindings.presets.items');
  const { ids } = await wholePresets(t).known();
  // Two pages, except for a region, since another account may be given another second page.
  const size = 'region' in query ? 200 : Math.min(200, Math.max(1, Math.ceil(ids.length / 2)));
  const read = async (as: string) => readPresetList(t.api, t.bindings, query, { as, size });
  const first = await read('primary');
  const asked = await read(other);
  const isKeptOut = other !== 'second' && !asked.readable;
  const heard = isKeptOut ? await read('second') : asked;
  const isAlike = isDeepStrictEqual(first.records, heard.records);
  const all = [first, heard, isAlike ? first : await read('primary')] as const;
  if (!all.every(({ readable }) => readable)) throw new Inconclusive('the presets cannot be read');
  return all;
}

/** Reads presets with both accounts until nothing looks wrong, or a stale copy would have caught up. */
export async function presetsOfBoth<Id extends string>(
  t: ComputeContext,
  query: ListQuery,
  other: Reader,
  judge: (...readings: Readings) => readonly UniversalJudgement<Id>[],
): Promise<readonly UniversalJudgement<Id>[]> {
  return retry(
    t,
    'copyCatchesUp',
    async () => judge(...(await readings(t, query, other))),
    (verdicts) => verdicts.every(({ judgement }) => judgement.violations.length === 0),
  );
}

const MAX_OWNER_PAIRS = 16;

/** Queries that ask for other accounts' data. */
const widenings = [
  'all=true&all_accounts=true',
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

/** Members of records that may name the owner, and parameters that may select one. */
const OWNER_NAME = /account|org|owner|tenant|user|project|team/iu;
const ownerNames = [
  'account_id',
  'organization_id',
  'org_id',
  'tenant_id',
  'owner_id',
  'project_id',
];

/** Parameters and values that ask for the primary account's data, from one of its records. */
function ownerPairs(record: WireRecord | undefined): readonly (readonly [string, string])[] {
  const owners = Object.entries(record ?? {}).filter(
    (entry): entry is [string, string] =>
      OWNER_NAME.test(entry[0]) && typeof entry[1] === 'string' && entry[1] !== '',
  );
  const values = new Set(owners.map(([, value]) => value));
  const guessed = [...values].flatMap((value) =>
    ownerNames.map((name): readonly [string, string] => [name, value]),
  );
  return [...owners, ...guessed].slice(0, MAX_OWNER_PAIRS);
}

/** Requests that ask for other accounts' data, each with a description; `record` belongs to the primary account. */
export function widened(record: WireRecord | undefined) {
  const pairs = ownerPairs(record);
  return [
    ...widenings.map((query) => ({ what: `The query ${query}`, query: `${query}&size=200` })),
    ...pairs.map(([name, value]) => ({
      what: `The parameter ${name}`,
      query: { [name]: value, size: 200 },
    })),
    ...pairs.map(([name, value]) => {
      const header = `X-${name.replaceAll('_', '-')}`;
      return {
        what: `The header ${header}`,
        query: { size: 200 },
        headers: [[header, value]] as const,
      };
    }),
  ];
}

/** The instances that the second key must never see. Throws `NotExercised` when there are none. */
export async function primaryList(t: ComputeContext): Promise<Listing> {
  const list = await readInstances(t.api);
  if (!list.readable) throw new Inconclusive('the instances of the primary key cannot be listed');
  if (list.ids.length === 0) throw new NotExercised('the account of keys.primary has no instances');
  return list;
}

/** Filters that select the newest instance of another account, alone and in pairs. */
function filtersFor(newest: WireRecord): readonly ListQuery[] {
  return [
    { free_text_search: textOf(newest, 'name')?.slice(0, 255) },
    { free_text_search: textOf(newest, 'instance_id') },
    { free_text_search: textOf(newest, 'gpu_type') },
    { free_text_search: textOf(newest, 'region') },
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
    { date_range_begin: '2000-01-01T00:00:00Z', date_range_end: '2100-01-01T00:00:00Z' },
    { region: textOf(newest, 'region'), status: 'running' },
    { gpu_type: textOf(newest, 'gpu_type'), sort_field: 'NAME' },
    { region: textOf(newest, 'region'), gpu_type: textOf(newest, 'gpu_type') },
  ];
}

/** Queries that find the newest instance of another account: each kind of filter alone, and all of them with a sort. */
export function narrowed(newest: WireRecord): readonly ListQuery[] {
  const each = {
    region: textOf(newest, 'region'),
    gpu_type: textOf(newest, 'gpu_type'),
    free_text_search: textOf(newest, 'name')?.slice(0, 255),
    date_range_begin: '2000-01-01T00:00:00Z',
    sort_field: 'NAME',
  };
  const alone = Object.entries(each).map(([name, value]) => ({ [name]: value }));
  return [{ status: 'running' }, ...alone, each];
}

/** Lists of every kind, since each may have cursors of its own format. */
export function cursorQueries(newest: WireRecord | undefined): readonly ListQuery[] {
  if (newest === undefined) return [];
  const region = textOf(newest, 'region');
  return [
    {},
    // Any three in a row have a filter and a sort.
    { sort_field: 'NAME' },
    { region },
    { sort_field: 'HOURLY_RATE', sort_direction: 'ASC' },
    { free_text_search: textOf(newest, 'gpu_type') },
    { region, sort_field: 'NAME', sort_direction: 'ASC' },
  ];
}

/** A few instances in each state that the newest may lack. Terminated ones must be invisible to another account, too. */
export async function someRarer(t: ComputeContext): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const status of ['stopped', 'errored', 'terminated']) {
    const records = instancesOf(await t.api.list({ status, size: t.thorough ? 2 : 1 })) ?? [];
    ids.push(...records.flatMap((record) => textOf(record, 'instance_id') ?? []));
  }
  return ids;
}

/** Repeats a request of a foreign key until the response is informative. */
async function answeredFor(t: ComputeContext, ask: () => Promise<Exchange>): Promise<Exchange> {
  return retry(t, 'foreignAnswer', ask, isInformative);
}

/** Tries an action with the foreign key, with and without a note: the response must equal that for an unknown id. */
export async function judgeForeign(
  t: ComputeContext,
  action: 'stop' | 'terminate' | 'start',
  id: string,
  what: string,
): Promise<Exchange> {
  const askForeign = async (body: ActionOptions = {}) =>
    answeredFor(t, async () => t.api[action](id, { as: 'second', ...body }));
  const askUnknown = async () =>
    answeredFor(t, async () => t.api[action](t.unknownInstanceId(), { as: 'second' }));
  const foreign = await askForeign();
  t.judge(
    `compute.scoping.foreign-${action}-same`,
    await likeUnknownInstance(t, foreign, async () => askForeign(), askUnknown),
  );
  const answers = action === 'start' ? [foreign] : [foreign, await askForeign(NOTED)];
  // Only a refusal by policy has to be compared with the one for an unknown id.
  const isPolicy = answers.some(({ response }) => response?.status === 403);
  const unknown = isPolicy ? await askUnknown() : undefined;
  const found = answers.map((one) => foreignNotFound(one, unknown, `A ${action} of ${what}`));
  judgeOrLack(
    t,
    `compute.scoping.foreign-${action}`,
    together(...found),
    `policy forbids keys.second to ${action} anything`,
  );
  return foreign;
}

/** Pages of a walk that are searched for foreign instances. */
const PAGES = 3;

/** Pages that a key gets for queries that find another account's newest instance; `own` is the list of that key. */
export async function pagesFor(
  t: ComputeContext,
  newest: WireRecord,
  as: 'primary' | 'second',
  own: Listing,
): Promise<readonly { readonly page: Exchange; readonly what: string }[]> {
  const pages = [];
  // The second key tries every filter, the primary key some of them.
  const filters = filtersFor(newest);
  for (const query of as === 'second' ? filters : t.some(filters, filters.length, 6)) {
    const page = await t.api.list({ ...query, size: 200 }, { as });
    pages.push({ page, what: `The filter ${JSON.stringify(query)}` });
  }
  // Pages after the first must not show foreign instances, either.
  const size = Math.max(1, Math.min(199, Math.ceil(own.ids.length / PAGES)));
  // One page more than the own list has, since foreign instances would make it longer.
  const walk = await readInstances(t.api, {}, { as, size, mostPages: PAGES + 1 });
  return [...pages, ...walk.exchanges.map((page) => ({ page, what: 'A page of a walk' }))];
}

/** Whether a request of another account leaves an instance unchanged, apart from what the instance does by itself. */
export async function changesNothing(
  t: ComputeContext,
  probe: InstanceProbe,
  ask: () => Promise<Exchange>,
): Promise<Judgement> {
  const listed = await t.observeInList(probe.id);
  const before = await probe.requireStatus();
  const answer = await ask();
  const look = async () => {
    const seen = await probe.requireStatus();
    if (before.status === 'ERRORED' || seen.status !== 'ERRORED') return seen;
    throw new Inconclusive('the instance became ERRORED by itself while it was observed');
  };
  // A boot may begin anew by itself.
  const free = before.status === 'RUNNING' ? ['started_at'] : [];
  const judge = ({ record, exchange, status }: Observation, restless: readonly string[] = []) => {
    const moves = mayBeAutomatic(before.status, status, listed?.record) ? ['status'] : [];
    const exchanges = [answer, before.exchange, exchange];
    const apartFrom = [...free, ...moves, ...restless];
    return unchanged({ before: before.record, after: record, exchanges, apartFrom });
  };
  const first = await look();
  const judgement = judge(first);
  if (judgement.violations.length === 0) return judgement;
  const second = await look();
  return lastingChange(judge(first, restlessIn(first.record, second.record)), judge(second));
}
