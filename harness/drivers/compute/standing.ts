/** What a session brings about once: instances that stand ready, and experiments of which each case judges one aspect. */

import { isSuccess } from '../../checks/compute/records.ts';
import { type Journey, termination } from '../../checks/compute/settling.ts';
import { Experiment, NotExercised } from '../../runner/case.ts';
import { InstanceProbe, type Watching } from './instance-probe.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Observation, ComputeContext } from './api.ts';
import { retry } from '../../runner/retry.ts';

/** One of each for a whole session: those of the target file, or disposable ones brought there once. */
export class StandingInstances {
  readonly #found = new Map<string, Promise<string>>();
  #stoppedAtFirst: Observation | undefined;

  /** The first stopped instance, as it was seen before it was handed out. */
  get stoppedAtFirst(): Observation | undefined {
    return this.#stoppedAtFirst;
  }

  /** An instance that is stopped; `index` 1 is another one than `index` 0. */
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

  /** An instance that is terminated. */
  async terminated(t: Watching): Promise<string> {
    return this.#once('terminated', async () => {
      const listed = t.target.instances?.terminated?.[0];
      if (listed !== undefined) return listedAs(t, listed, 'TERMINATED', 'terminated');
      const probe = await InstanceProbe.any(t);
      await t.api.terminate(probe.id);
      const settled = await probe.follow(termination);
      if (settled.seen > 0 && settled.violations.length === 0) return probe.id;
      throw new NotExercised(`the disposable instance ${probe.id} is not to be seen TERMINATED`);
    });
  }

  /** A disposable instance that several cases use, one after the other. */
  async shared(t: Watching, name: string): Promise<string> {
    return this.#once(`shared ${name}`, async () => t.disposable());
  }

  /** The first one who asks finds it; when that fails, the next one tries again. */
  async #once(name: string, find: () => Promise<string>): Promise<string> {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const finding = find();
    this.#found.set(name, finding);
    finding.catch(() => this.#found.delete(name));
    return finding;
  }
}

/** An instance of the target file, when it is what the file says. */
async function listedAs(
  t: Watching,
  id: string,
  status: string,
  list: 'stopped' | 'terminated',
): Promise<string> {
  // What is terminated may be shown among the terminated alone.
  const look = async () =>
    list === 'terminated'
      ? ((await new InstanceProbe(t, id).observe()) ?? (await t.observeInList(id)))
      : await t.observe(id);
  // One look that shows another state may be the breach that its cases are for.
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
 * A deployment that hides what is terminated still tells a stop of it from a stop of what never was. One that tells
 * neither cannot be told from a mistake in the target file.
 */
async function requireKnown(t: Watching, id: string): Promise<void> {
  if (isSuccess(await t.api.get(id)) || !t.target.consent.stop) return;
  if ((await t.api.stop(id)).response?.status !== 404) return;
  throw new NotExercised(
    `instances.terminated names ${id}, which is nowhere to be seen TERMINATED, and stopping it answers 404: the id is wrong, or what is terminated is gone here`,
  );
}

/** An experiment as a function of the context. */
export function experiment<T>(
  make: (t: ComputeContext) => Promise<T>,
): (t: ComputeContext) => Promise<T> {
  const made = new Experiment(make);
  return async (t) => made.of(t);
}

/** Without waiting for a place among the requests of other cases: the state passes. */
export const SOON = { unbounded: true } as const;
/** A journey after an accepted call; not observed, and why, where the call was refused. */
export async function followed(
  probe: InstanceProbe,
  answer: Exchange,
  journey: Journey,
  options: Parameters<InstanceProbe['follow']>[1] = {},
): Promise<Judgement> {
  return isSuccess(answer) ? probe.follow(journey, options) : notObserved;
}
