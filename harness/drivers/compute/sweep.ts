/** Removes what a run made: by id, or by the exact name that it was requested under. */

import { isSuccess, textOf } from '../../checks/compute/records.ts';
import { ComputeApi, computeRepeat } from './api.ts';
import { observe } from './instances.ts';
import { readInstances } from '../collection/reading.ts';
import type { ComputeBindings, ComputeTarget } from '../../../schemas/compute/target.ts';
import { pause } from '../../exchange/budget.ts';
import { ComputeGuard } from '../../exchange/compute-guard.ts';
import type { PlannedTarget } from '../../runner/selection.ts';
import { isDying } from '../../checks/compute/lifecycle.ts';
import { connect } from '../connection.ts';
import { isInstanceName, isOver, type Journal, type Leftover, type Swept } from '../journal.ts';
import { waits } from '../../runner/waits.ts';

/** Pages of 200 that are searched for instances of which only the name is known. */
const SEARCHED_PAGES = 60;

/** The result of a removal: `terminated` now, `gone` before, or `stays` with the reason. */
export type Removal =
  | { readonly kind: 'terminated' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'stays'; readonly reason: string };

/** Terminates an instance. Never throws: when it cannot be removed, the reason says why. */
export async function remove(
  api: ComputeApi,
  bindings: ComputeBindings,
  id: string,
): Promise<Removal> {
  try {
    const exchange = await api.terminate(id);
    if (isSuccess(exchange)) return { kind: 'terminated' };
    const status = exchange.response?.status;
    if (status === 404) return { kind: 'gone' };
    // A repeated terminate may fail until the instance settles, so the record decides. It also does after a 409, which tells
    // that the instance is terminated (compute#states/terminated-terminate): what a broken server keeps costs money.
    let seen = await observe(api, bindings, id);
    if (status === 409 && seen !== undefined && !isDying(seen.status)) {
      const [lagMs = 0] = waits.lagPasses.pausesMs;
      await pause(lagMs);
      seen = await observe(api, bindings, id);
    }
    if (seen === undefined ? status === 409 : isDying(seen.status)) return { kind: 'gone' };
    return { kind: 'stays', reason: `terminate answered ${status ?? exchange.ending}` };
  } catch (error) {
    return { kind: 'stays', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The result of a search by name. */
export interface Named {
  /** Name and id of every instance that has exactly one of the names. */
  readonly found: readonly { readonly name: string; readonly id: string }[];
  /** Why the search did not see the whole list; undefined when it did. */
  readonly incomplete: string | undefined;
}

/** Searches the list for instances by name. Never throws for a response of the target. */
export async function findNamed(api: ComputeApi, names: ReadonlySet<string>): Promise<Named> {
  try {
    const { records, end } = await readInstances(api, {}, { mostPages: SEARCHED_PAGES });
    const found = records.flatMap((record) => {
      const name = textOf(record, 'name') ?? '';
      const id = textOf(record, 'instance_id') ?? '';
      return id !== '' && names.has(name) ? [{ name, id }] : [];
    });
    return { found, incomplete: end === 'last-page' ? undefined : `the list ended with ${end}` };
  } catch (error) {
    return { found: [], incomplete: error instanceof Error ? error.message : String(error) };
  }
}

type Planned = PlannedTarget & { readonly target: ComputeTarget };

/** Runs `act` with a connection of its own; `check` throws for requests that must not be sent. */
async function connected<T>(
  planned: Planned,
  signal: AbortSignal,
  check: (method: string, path: string) => void,
  act: (api: ComputeApi) => Promise<T>,
): Promise<T> {
  const { bindings = {} } = planned.target;
  const connection = connect(planned, { check, repeat: computeRepeat(bindings) });
  signal.addEventListener('abort', connection.abort, { once: true });
  try {
    return await act(new ComputeApi(connection.httpClient, () => {}, bindings));
  } finally {
    signal.removeEventListener('abort', connection.abort);
    await connection.close();
  }
}

/** Instances of the account with a name of the suite's that are not terminated. Throws when the list cannot be read. */
export async function searchTarget(
  planned: Planned,
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const { target } = planned;
  const readsAlone = (method: string, path: string): void => {
    if (method !== 'GET') throw new Error(`${method} ${path} is no read`);
  };
  return connected(planned, signal, readsAlone, async (api) => {
    const { records, end } = await readInstances(api, {}, { mostPages: SEARCHED_PAGES });
    if (end !== 'last-page') throw new Error(`the list ended with ${end}`);
    return records.flatMap((record) => {
      const name = textOf(record, 'name') ?? '';
      const id = textOf(record, 'instance_id');
      if (!isInstanceName(name) || isDying(textOf(record, 'status'))) return [];
      return [{ target: target.name, baseUrl: target.baseUrl, name, id, askedAt: 0 }];
    });
  });
}

/** Sweeps leftovers of this target by id or name, and strikes them from the journal. Throws the signal's reason. */
export async function sweepTarget(
  planned: Planned,
  leftovers: readonly Leftover[],
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly Swept[]> {
  const { target } = planned;
  const bindings = target.bindings ?? {};
  const guard = new ComputeGuard({
    terminate: bindings.terminate,
    start: undefined,
    provision: undefined,
    consent: target.consent,
  });
  const check = (method: string, path: string): void => guard.check(method, path);
  return connected(planned, signal, check, async (api) => {
    const ours = leftovers.filter(({ name }) => isInstanceName(name));
    const { known, others } = await withIds(api, ours, settlingOf(target), signal);
    const removed = await Promise.all(
      known.map(async ({ name, id }): Promise<Swept> => {
        const foreign = await shownOtherwise(api, bindings, name, id);
        if (foreign !== undefined) return { name, id, outcome: 'stays', reason: foreign };
        guard.allow(id, 'terminate');
        const { kind: outcome, ...why } = await remove(api, bindings, id);
        return { name, id, outcome, ...why };
      }),
    );
    const strange = leftovers.filter((one) => !ours.includes(one));
    const swept = [
      ...removed,
      ...others,
      ...strange.map(({ name, id }): Swept => ({
        name,
        id,
        outcome: 'stays',
        reason: 'no run gives such a name',
      })),
    ];
    // One name may have several ids, and is struck only when none of them stays.
    const staying = new Set(
      swept.filter(({ outcome }) => !isOver(outcome)).map(({ name }) => name),
    );
    for (const name of new Set(swept.map((one) => one.name))) {
      if (!staying.has(name)) journal.write({ kind: 'gone', name });
    }
    return swept;
  });
}

/** Why the id is not ours: the target shows another name, and a forged journal must not choose what is removed. */
async function shownOtherwise(
  api: ComputeApi,
  bindings: ComputeBindings,
  name: string,
  id: string,
): Promise<string | undefined> {
  const seen = await observe(api, bindings, id).catch(() => undefined);
  const shown = seen && textOf(seen.record, 'name');
  return shown === undefined || shown === name
    ? undefined
    : `the target calls it ${JSON.stringify(shown)}: remove it yourself if a run made it`;
}

interface WithIds {
  readonly known: readonly { readonly name: string; readonly id: string }[];
  readonly others: readonly Swept[];
}

async function withIds(
  api: ComputeApi,
  leftovers: readonly Leftover[],
  settlingMs: number,
  signal: AbortSignal,
): Promise<WithIds> {
  const known = leftovers.flatMap(({ name, id }) => (id === undefined ? [] : [{ name, id }]));
  const unknown = new Map(
    leftovers.filter(({ id }) => id === undefined).map((one) => [one.name, one]),
  );
  const others: Swept[] = [];
  while (unknown.size > 0) {
    const from = Date.now();
    const { found, incomplete } = await findNamed(api, new Set(unknown.keys()));
    signal.throwIfAborted();
    known.push(...found);
    for (const { name } of found) unknown.delete(name);
    for (const [name, { askedAt }] of unknown) {
      const settled = from - askedAt > settlingMs;
      const outcome = outcomeOfUnfound(incomplete, settled, settlingMs);
      if (outcome === undefined) continue;
      others.push({ name, id: undefined, ...outcome });
      unknown.delete(name);
    }
    if (unknown.size > 0) await pause(waits.sweptRequest.pollMs[0], signal);
  }
  return { known, others };
}

/** The outcome of a name that was not found; undefined to search again in a moment. */
function outcomeOfUnfound(
  incomplete: string | undefined,
  settled: boolean,
  settlingMs: number,
): Pick<Swept, 'outcome' | 'reason'> | undefined {
  if (incomplete !== undefined)
    return { outcome: 'stays', reason: `cannot be looked for: ${incomplete}` };
  if (settled) return { outcome: 'never-made' };
  if (settlingMs <= waits.sweptRequest.withinMs) return undefined;
  const minutes = settlingMs / 60_000;
  return {
    outcome: 'pending',
    reason: `its provision command may take ${minutes} minutes; sweep again when they are over`,
  };
}

function settlingOf(target: ComputeTarget): number {
  const provision = target.instances?.provision;
  return provision !== undefined && 'command' in provision
    ? waits.sweptCommand.withinMs
    : waits.sweptRequest.withinMs;
}
