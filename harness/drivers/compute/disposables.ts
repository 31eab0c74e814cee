/** Instances that may be destroyed: made by this run, which journals and removes them, or listed in the target file. */

import { type ComputeBindings, type Provision, isIdList } from '../../../schemas/compute/target.ts';
import { pause } from '../../exchange/budget.ts';
import type { ComputeGuard } from '../../exchange/compute-guard.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import { instanceName, type Journal } from '../journal.ts';
import type { ComputeApi } from './api.ts';
import { observe } from './instances.ts';
import { makeInstance, type Making, NotMade } from './provision.ts';
import { findNamed, remove } from './sweep.ts';
import { limitMs, retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

/** Takes a function to call once a case has ended. */
type AtEnd = (giveBack: () => void) => void;

/** Searches for instances whose creation was requested and never answered. */
const ATTEMPTS_FOR_UNKNOWN = 3;

export interface DisposablesOptions {
  readonly provision: Provision | undefined;
  /** True to keep the first listed id for `take` with `kept`: many cases can share that instance. */
  readonly keepFirst: boolean;
  readonly consent: { readonly stop: boolean; readonly terminate: boolean };
  readonly guard: ComputeGuard;
  readonly journal: Journal;
  readonly target: { readonly name: string; readonly baseUrl: string };
  readonly bindings: ComputeBindings;
  readonly runId: string;
  /** Folder of the target file, in which commands run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export class Disposables {
  readonly #options: DisposablesOptions;
  readonly #listed: string[];
  #kept: string | undefined;
  /** Name to id of instances that this run made and has not seen removed. */
  readonly #made = new Map<string, string>();
  /** Names that were requested and whose id is unknown. */
  readonly #unknown = new Set<string>();
  readonly #making = new Set<Promise<string>>();
  /** Ids of made instances that a running case still needs. */
  readonly #inUse = new Set<string>();
  /** Ids of made instances that no case needs any more. */
  readonly #spent = new Set<string>();
  /** When an instance was last removed to make room, in milliseconds of the monotonic clock. */
  #removedAt = -Infinity;
  /** True once a case has waited in vain for others to give an instance back, until one does. */
  #waitedInVain = false;
  /** Listed instances that somebody else terminated. */
  #gone = 0;
  #ended = false;
  #count = 0;

  constructor(options: DisposablesOptions) {
    this.#options = options;
    this.#listed = isIdList(options.provision) ? [...options.provision] : [];
    this.#kept = options.keepFirst ? this.#listed.shift() : undefined;
  }

  /**
   * A disposable instance in any state; `kept` takes the one that was kept back. `atEnd` gets the function that gives
   * the instance back, to make room where an account may have no more. Throws `NotExercised` when the target file
   * offers none (any more), `Inconclusive` when making one failed.
   */
  async take(
    api: ComputeApi,
    { kept = false, atEnd }: { readonly kept?: boolean; readonly atEnd?: AtEnd } = {},
  ): Promise<string> {
    const { provision, guard } = this.#options;
    if (provision === undefined) throw new NotExercised('no way to make disposable instances');
    if (isIdList(provision)) {
      const id = await this.#nextOf(api, kept);
      if (id === undefined) {
        const gone =
          this.#gone === 0 ? '' : `, ${this.#gone} of them terminated before they were needed`;
        throw new NotExercised(
          `the ${provision.length} listed disposable instances are used up${gone}`,
          'instances: { provision: [ more ids ] }',
        );
      }
      guard.allow(id, 'stop', 'start', 'terminate');
      return id;
    }
    if (!this.#options.consent.terminate) {
      throw new NotExercised(
        'the run must remove each instance that it makes, which needs consent.terminate',
        'consent: { terminate: true }',
      );
    }
    const id = await this.#make(provision, api);
    if (atEnd !== undefined) {
      this.#inUse.add(id);
      atEnd(() => {
        this.#inUse.delete(id);
        this.#spent.add(id);
        this.#waitedInVain = false;
      });
    }
    return id;
  }

  /** The next listed id that is not terminated. */
  async #nextOf(api: ComputeApi, kept: boolean): Promise<string | undefined> {
    for (;;) {
      const id = kept ? (this.#kept ?? this.#listed.shift()) : this.#listed.shift();
      if (kept) this.#kept = undefined;
      if (id === undefined) return undefined;
      const { status } = (await observe(api, this.#options.bindings, id)) ?? {};
      if (status !== 'TERMINATING' && status !== 'TERMINATED') return id;
      this.#gone += 1;
    }
  }

  /** True when this run made something, or may have made it. */
  get hasLeft(): boolean {
    return this.#made.size + this.#unknown.size + this.#making.size > 0;
  }

  /** Terminates what this run made, or may have made. What cannot be removed or found stays in the journal. */
  async sweep(api: ComputeApi): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#making);
    await this.#findUnknown(api);
    await this.#remove(api, [...this.#made]);
    this.#options.journal.tidy();
  }

  /** A response that was cut off may belong to an instance that appears a moment later. */
  async #findUnknown(api: ComputeApi): Promise<void> {
    for (
      let attempts = 0;
      attempts < ATTEMPTS_FOR_UNKNOWN && this.#unknown.size > 0;
      attempts += 1
    ) {
      if (attempts > 0) await pause(waits.sweptRequest.pollMs[0]);
      for (const { name, id } of (await findNamed(api, this.#unknown)).found) {
        this.#options.guard.allow(id, 'terminate');
        this.#options.journal.write({ kind: 'made', name, id });
        this.#made.set(name, id);
        this.#unknown.delete(name);
      }
    }
  }

  async #make(provision: Making, api: ComputeApi): Promise<string> {
    const making = this.#makeWhenThereIsRoom(provision, api);
    this.#making.add(making);
    try {
      return await making;
    } finally {
      this.#making.delete(making);
    }
  }

  /** An account may limit its instances, so those that no case needs any more are removed before the next one is made. */
  async #makeWhenThereIsRoom(making: Making, api: ComputeApi): Promise<string> {
    const result = await retry(
      this.#options,
      'roomForInstance',
      async () => {
        try {
          return { id: await this.#makeNow(making, api) };
        } catch (error) {
          if (!(error instanceof Inconclusive) || !(await this.#mayMakeRoom(api))) throw error;
          return { error };
        }
      },
      ({ id }) => id !== undefined,
    );
    this.#waitedInVain = result.id === undefined;
    if (result.id === undefined) throw result.error;
    return result.id;
  }

  /** Removes spent instances; false when no instance of this run can make room, now or when another case ends. */
  async #mayMakeRoom(api: ComputeApi): Promise<boolean> {
    const spent = [...this.#made].filter(([, id]) => this.#spent.delete(id));
    if (spent.length > 0) this.#removedAt = performance.now();
    await this.#remove(api, spent);
    const mayStillGo = performance.now() - this.#removedAt < limitMs('roomForInstance');
    return !this.#ended && (mayStillGo || (this.#inUse.size > 0 && !this.#waitedInVain));
  }

  async #remove(
    api: ComputeApi,
    made: readonly (readonly [name: string, id: string])[],
  ): Promise<void> {
    const { journal, bindings } = this.#options;
    await Promise.all(
      made.map(async ([name, id]) => {
        if ((await remove(api, bindings, id)).kind === 'stays') return;
        journal.write({ kind: 'gone', name });
        this.#made.delete(name);
      }),
    );
  }

  async #makeNow(making: Making, api: ComputeApi): Promise<string> {
    if (this.#ended) throw new Inconclusive('the run is ending');
    const { journal, target, guard, runId } = this.#options;
    this.#count += 1;
    const name = instanceName(runId, this.#count);
    journal.write({
      kind: 'asked',
      target: target.name,
      baseUrl: target.baseUrl,
      name,
      at: new Date().toISOString(),
    });
    this.#unknown.add(name);
    let id: string;
    try {
      id = await makeInstance(making, name, { api, ...this.#options });
    } catch (error) {
      if (error instanceof NotMade) {
        journal.write({ kind: 'gone', name });
        journal.tidy();
        this.#unknown.delete(name);
      }
      throw error;
    }
    journal.write({ kind: 'made', name, id });
    this.#made.set(name, id);
    this.#unknown.delete(name);
    guard.allow(id, 'stop', 'start', 'terminate');
    return id;
  }
}
