/** What a session brings about once: prepared instances, and experiments of which each case judges one aspect. */

import { isSuccess } from '../../checks/compute/records.ts';
import { type Journey, termination } from '../../checks/compute/settling.ts';
import { Experiment, NotExercised } from '../../runner/case.ts';
import { InstanceProbe, type Watching } from './instance-probe.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Observation, ComputeContext } from './api.ts';
import { retry } from '../../runner/retry.ts';

/** Prepared instances of a session: those of the target file, or disposable ones. */
export class StandingInstances {
  readonly #found = new Map<string, Promise<string>>();
  #stoppedAtFirst: Observation | undefined;

  /** The first look at the first stopped instance, before any case got it. */
  get stoppedAtFirst(): Observation | undefined {
    return this.#stoppedAtFirst;
  }

  /** A stopped instance; `index` selects one of two. */
  async stopped(t: Watching, index: 0 | 1 = 0): Promise<string> {
    return this.#once(`stopped ${index}`, async () => {
      const listed = t.target.instances?.stopped?.[index];
      const probe =
        listed === undefined
          ? await InstanceProbe.stopped(t)
          : new InstanceProbe(t, await listedAs(t, listed, 'STOPPED', 'stopped'));
      if (index === 0) this.#stoppedAtFirst = await probe.observe();
      return probe.id;
    });
  }

  async terminated(t: Watching): Promise<string> {
    return this.#once('terminated', async () => {
      const listed = t.target.instances?.terminated?.[0];
      if (listed !== undefined) return listedAs(t, listed, 'TERMINATED', 'terminated');
      const probe = await InstanceProbe.any(t);
      await t.api.terminate(probe.id);
      const settled = await probe.follow(termination);
      if (settled.seen > 0 && settled.violations.length === 0) return probe.id;
      throw new NotExercised(`no answer shows the disposable instance ${probe.id} TERMINATED`);
    });
  }

  /** A disposable instance that several cases use, one after the other. */
  async shared(t: Watching, name: string): Promise<string> {
    return this.#once(`shared ${name}`, async () => t.disposable());
  }

  /** The first caller finds it; after a failure the next caller tries again. */
  async #once(name: string, find: () => Promise<string>): Promise<string> {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const finding = find();
    this.#found.set(name, finding);
    finding.catch(() => this.#found.delete(name));
    return finding;
  }
}

/** An instance of the target file, if it is in the state that the file says. */
async function listedAs(
  t: Watching,
  id: string,
  status: string,
  list: 'stopped' | 'terminated',
): Promise<string> {
  // A terminated instance may be visible only among the terminated ones.
  const look = async () =>
    list === 'terminated'
      ? ((await new InstanceProbe(t, id).observe()) ?? (await t.observeInList(id)))
      : await t.observe(id);
  // One look at another state may be the very violation that the cases test for, so it is repeated.
  const seen = await retry(t, 'copyCatchesUp', look, (one) => (one?.status ?? status) === status);
  if (seen !== undefined && seen.status !== status) {
    throw new NotExercised(`instances.${list} names ${id}, which is ${seen.status}`);
  }
  if (seen === undefined && list === 'stopped') {
    const status404 = (await t.api.get(id)).response?.status === 404;
    if (status404) throw new NotExercised(`instances.${list} names ${id}, which does not exist`);
  }
  if (seen === undefined && list === 'terminated') await requireKnown(t, id);
  return id;
}

/**
 * A deployment that hides terminated instances still answers a stop of one differently from a stop of an unknown id.
 * If it does not, the id cannot be told from a mistake in the target file, so this throws `NotExercised`.
 */
async function requireKnown(t: Watching, id: string): Promise<void> {
  if (isSuccess(await t.api.get(id)) || !t.target.consent.stop) return;
  if ((await t.api.stop(id)).response?.status !== 404) return;
  throw new NotExercised(
    `instances.terminated names ${id}, which no answer shows TERMINATED, and a stop of it answers 404: the id is wrong, or the deployment forgets terminated instances`,
  );
}

/** An experiment as a function of the context. */
export function experiment<T>(
  make: (t: ComputeContext) => Promise<T>,
): (t: ComputeContext) => Promise<T> {
  const made = new Experiment(make);
  return async (t) => made.of(t);
}

/** Options for a call that must not wait for the requests of other cases, since the state passes quickly. */
export const SOON = { unbounded: true } as const;
/** Follows the instance after an accepted call; not observed when the call was refused. */
export async function followed(
  probe: InstanceProbe,
  answer: Exchange,
  journey: Journey,
  options: Parameters<InstanceProbe['follow']>[1] = {},
): Promise<Judgement> {
  return isSuccess(answer) ? probe.follow(journey, options) : notObserved;
}
