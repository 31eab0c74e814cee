/** Removes from a compute target what earlier runs made there and could not remove, as their journal says. */

import type { ComputeTarget } from '../../../schemas/target.ts';
import { pause } from '../../exchange/budget.ts';
import { ComputeGuard } from '../../exchange/compute-guard.ts';
import type { PlannedTarget } from '../../runner/run-plan.ts';
import { connect } from '../connection.ts';
import type { Journal, Leftover } from '../journal.ts';
import { ComputeApi } from './api.ts';
import { computeRepeat } from './repeat.ts';
import { findNamed, remove } from './removal.ts';
import { waits } from '../../runner/retry.ts';

/** What became of one leftover. */
export interface Swept {
  readonly name: string;
  readonly id: string | undefined;
  /** `never-made` when the whole list does not have the name; `pending` when it may still appear. */
  readonly outcome: 'terminated' | 'gone' | 'never-made' | 'pending' | 'stays';
  readonly reason?: string;
}

/**
 * Sweeps the leftovers, which must be of this target. Instances without a known id are looked for by name.
 * What is removed, or was never made, is struck from the journal. Throws the reason of the signal.
 */
export async function sweepTarget(
  planned: PlannedTarget & { readonly target: ComputeTarget },
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
  const connection = connect(planned, {
    check: (method, path) => guard.check(method, path),
    repeat: computeRepeat(bindings),
  });
  signal.addEventListener('abort', connection.abort, { once: true });
  const api = new ComputeApi(connection.httpClient, () => {}, bindings);
  try {
    const { known, others } = await withIds(api, leftovers, settlingOf(target), signal);
    const removed = await Promise.all(
      known.map(async ({ name, id }): Promise<Swept> => {
        guard.allow(id, 'terminate');
        const { kind: outcome, ...why } = await remove(api, bindings, id);
        return { name, id, outcome, ...why };
      }),
    );
    const swept = [...removed, ...others];
    // One name may have several ids: it is struck when none of them stays.
    const staying = new Set(
      swept.filter(({ outcome }) => !isOver(outcome)).map(({ name }) => name),
    );
    for (const name of new Set(swept.map((one) => one.name))) {
      if (!staying.has(name)) journal.write({ kind: 'gone', name });
    }
    return swept;
  } finally {
    signal.removeEventListener('abort', connection.abort);
    await connection.close();
  }
}

/** True when nothing is left to do. */
export function isOver(outcome: Swept['outcome']): boolean {
  return outcome !== 'stays' && outcome !== 'pending';
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

/** Undefined: look again in a moment. */
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
