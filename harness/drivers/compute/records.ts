/** Readings for comparing records of instances with the clock, with each other, with presets and with filters. */

import { isCodeInAnyCase, isRegionCode } from '../../../schemas/compute/regions.ts';
import { sameRemainingHours } from '../../checks/compute/meters.ts';
import { type Claim, longestRun } from '../../checks/compute/figures.ts';
import { presetValue } from '../../checks/compute/presets.ts';
import {
  actionRecordOf,
  idOf,
  idsOf,
  instancesOf,
  isSuccess,
  textOf,
} from '../../checks/compute/records.ts';
import { nextCursor } from '../../checks/collection/bounds.ts';
import { locationOf, locationsWithin } from '../../checks/compute/variants.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { NotExercised } from '../../runner/case.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ComputeContext } from './api.ts';
import { readInstances } from '../collection/reading.ts';
import { experiment } from './standing.ts';
import { requireItems } from '../collection/whole-list.ts';
import { wholeInstances, wholePresets } from '../collection/instances.ts';

/** The instances of each account together with the presets, and the SKU names, disks and places of those. */
export const listedBesidePresets = experiment(async (t) => {
  const presets = await requireItems(wholePresets(t), 1, 'presets');
  const own = await requireItems(wholeInstances(t), 1, 'instances');
  const other =
    t.target.keys.second === undefined
      ? []
      : [await readInstances(t.api, {}, { mostPages: 1, as: 'second' })];
  const valuesOf = (field: 'sku' | 'storage') =>
    presets.records.map((preset) => presetValue(preset, field, t.bindings));
  // A service may make the records of other queries and of later pages in another way.
  const size = Math.min(200, Math.max(1, Math.ceil(own.ids.length / 2)));
  const { exchanges: halves } = await readInstances(t.api, {}, { size, mostPages: 2 });
  const parts = [
    await t.api.list({ size: 200, sort_field: 'NAME' }),
    await t.api.list({ size: 200, status: 'running' }),
    ...halves.slice(1),
  ].map((page) => ({ records: instancesOf(page) ?? [], exchanges: [page] }));
  // Presets beyond those that are read may have any name and location.
  const isWhole = presets.end === 'last-page';
  const unmapped = t.bindings.locations?.unmapped ?? [];
  const known = {
    presets: presets.records,
    bindings: t.bindings,
    skus: new Set(isWhole ? valuesOf('sku').filter((sku) => typeof sku === 'string') : []),
    locations: isWhole ? locationsWithin(presets.records, unmapped, t.bindings) : new Set<string>(),
  };
  return {
    disks: new Set(valuesOf('storage').filter((disk) => typeof disk === 'number')),
    places: { ...known, records: own.records, exchanges: presets.exchanges },
    accounts: [
      ...[own, ...other].map(({ records, exchanges }) => ({ ...known, records, exchanges })),
      // The presets of a part may all have been withdrawn, so its sizes may be any.
      ...parts.map((part) => ({ ...known, ...part, skus: new Set<string>() })),
    ].map(({ exchanges, ...account }) => ({
      ...account,
      exchanges: [...exchanges, ...presets.exchanges],
    })),
  };
});

/** Reads the instances of an account twice in a row, on one page; of a large account only the running ones. */
export async function readTwice(
  t: Pick<ComputeContext, 'api'>,
  as: string,
): Promise<readonly [Exchange, Exchange]> {
  const page = { size: 200 };
  const all = await t.api.list(page, { as });
  // The newest page of a large account may have no running instance.
  const asked = typeof nextCursor(all) === 'string' ? { ...page, status: 'running' } : page;
  const first = asked === page ? all : await t.api.list(asked, { as });
  return [first, await t.api.list(asked, { as })];
}

const stopsOf = ([0, 1] as const).map((index) =>
  experiment(async (t) => {
    const id = await t.stopped(index);
    const first = await t.api.stop(id);
    // The list is searched by name, since the instance may be far down in a large account.
    const name = textOf(actionRecordOf(first) ?? {}, 'name') ?? '';
    const found = await readInstances(t.api, { free_text_search: name.slice(0, 255) });
    const listed = found.records.find((_, at) => found.ids[at] === id.toLowerCase());
    return { id, first, listed, second: await t.api.stop(id) };
  }),
);

/** Two stops of a stopped instance, and its record in a list between them; `index` selects one of two instances. */
export async function stopsOfStopped(t: ComputeContext, index: 0 | 1 = 0) {
  const stops = stopsOf[index];
  if (stops === undefined) throw new NotExercised('there are two stopped instances at most');
  return stops(t);
}

/** The location of a stopped instance, if no filter can take it for a region. */
export async function locationFilter(t: ComputeContext): Promise<string> {
  const location = locationOf((await stopsOfStopped(t)).first);
  if (location === undefined) throw new NotExercised('the answer to a stop shows no location');
  if (isCodeInAnyCase(location) && !isRegionCode(location)) {
    throw new NotExercised(`the location ${location} may be read as a region code`);
  }
  return location;
}

/** Rounds in a row in which two instances must differ, since the burn rate may change back and forth within one. */
const TTL_WRONG_ROUNDS = 3;
/** Factor on the rounds after two instances differed once. */
const SUSPICIOUS = 3;

/**
 * Compares the remaining hours of two instances until a difference persists; `drifting` if the burn rate of their
 * organisation changes in all of the `rounds`, or too many after they differed. `ready` prepares the request about the
 * other instance, anew when that is refused after a success.
 */
export async function remainingHours(
  t: Pick<ComputeContext, 'api' | 'stopped'>,
  rounds: number,
  ready: () => Promise<() => Promise<Exchange>>,
): Promise<Judgement | 'drifting'> {
  const one = await t.stopped(0);
  let ask = await ready();
  const both = async () => [await t.api.stop(one), await ask()] as const;
  let wrong = 0;
  for (let round = 1; round <= (wrong > 0 ? SUSPICIOUS * rounds : rounds); round += 1) {
    // What a terminate answered of an instance in one state, it may not answer of the same one once more.
    if (wrong > 0) ask = await ready();
    let [first, second] = await both();
    if (round > 1 && !isSuccess(second)) {
      ask = await ready();
      [first, second] = await both();
    }
    // When both are equal, it does not matter whether the burn rate changed after them.
    const alike = sameRemainingHours(first, second, first);
    const isAlike = alike !== 'drifting' && alike.violations.length === 0;
    const judgement = isAlike ? alike : sameRemainingHours(first, second, await t.api.stop(one));
    if (judgement === 'drifting') continue;
    wrong = judgement.violations.length > 0 ? wrong + 1 : 0;
    if (wrong === 0 || wrong === TTL_WRONG_ROUNDS) return judgement;
  }
  return 'drifting';
}

const DAY_MS = 86_400_000;

/** The longest runtimes that a page of the list claims, each checked with the date filter. */
export async function runtimeClaims(
  t: Pick<ComputeContext, 'api'>,
  page: Parameters<typeof longestRun>[0],
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const { record, hours, midst } of longestRun(page)) {
    const id = idOf(record);
    const name = (textOf(record, 'name') ?? '').slice(0, 255);
    const createdAfter = async (since: number) => {
      const query = {
        free_text_search: name,
        date_range_begin: new Date(since).toISOString(),
        size: 200,
      };
      const exchange = await t.api.list(query);
      return { exchange, isListed: idsOf(instancesOf(exchange) ?? []).includes(id) };
    };
    const { exchange, isListed } = await createdAfter(midst);
    // A filter that lets everything through says nothing about the date.
    const isYounger = isListed && !(await createdAfter(Date.now() + DAY_MS)).isListed;
    claims.push({ hours, isYounger, exchange });
  }
  return claims;
}
