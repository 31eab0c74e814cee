/** What a stop must leave unchanged: the disk, the storage in use, the date of the start, and the runtime. */

import type { InstanceState } from '../../schemas/compute/states.ts';
import { actionRecordOf, isSuccess } from '../checks/compute/records.ts';
import {
  runtimeIn,
  runtimeKept,
  type RuntimeReading,
  startKept,
  terminationKept,
} from '../checks/compute/runs.ts';
import { diskKept, sameDisk, useKept } from '../checks/compute/storage.ts';
import type { Observation } from '../drivers/compute/api.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import type { Judgement } from '../checks/judgement.ts';

export type Judge = (id: ComputeRequirementId, judgement: Judgement) => void;

/** The records of one instance up to its first start. After a restart, a stale copy could still show the earlier run. */
export class FirstRun {
  readonly #judge: Judge;
  #isOver = false;
  #running: Observation | undefined;
  #stop: Exchange | undefined;
  #terminated: Observation | undefined;
  #readings: readonly RuntimeReading[] = [];

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  /** The runtimes that were read since the instance stopped. */
  get readings(): readonly RuntimeReading[] {
    return this.#readings;
  }

  /** Judges a look at the record of the instance. */
  seen(observation: Observation): void {
    const { status, record, exchange } = observation;
    if (this.#terminated !== undefined) {
      const kept = terminationKept(this.#terminated, observation);
      this.#judge('compute.instance-record.terminated-date-stays', kept);
    } else if (status === 'TERMINATED') this.#terminated = observation;
    this.#readings =
      status === 'STOPPED' ? [...this.#readings, ...runtimeIn(record, exchange)] : [];
    if (status === 'RUNNING') {
      if (!this.#isOver) this.#running = observation;
      // The instance rebooted: the stop did nothing, or came before the reboot.
      if (record['started_at'] !== this.#stopped()['started_at']) this.#stop = undefined;
    }
    if (status !== 'STOPPED' || this.#running === undefined || this.#stop === undefined) return;
    // The date comes from the stop's answer: a reboot between the last look and the stop would have changed it.
    const stopped = { record: this.#stopped(), exchange: this.#stop };
    this.#judge('compute.states.stop-keeps-start', startKept(stopped, observation));
    this.#judge('compute.states.storage-use-kept', useKept(this.#running, observation));
  }

  /** Judges a stop. `known` is the state that was seen just before; undefined when other calls came in between. */
  stopped(known: InstanceState | undefined, answer: Exchange): void {
    if (!isSuccess(answer) || this.#running === undefined) return;
    // Of several stops, the last one counts: an earlier one may have met a boot and done nothing.
    if (known === undefined && this.#stop !== undefined) this.#stop = answer;
    if (known === 'RUNNING') {
      this.#stop = answer;
      this.#judge('compute.states.storage-kept', diskKept(this.#running.record, answer));
    }
    if (known !== 'STOPPED' || this.#stop === undefined) return;
    const disk = sameDisk(this.#stop, answer, 'while it stopped');
    this.#judge('compute.states.storage-kept', disk);
    this.#judge('compute.states.runtime-rests', runtimeKept(this.#running, answer));
  }

  /** After concurrent calls it is unknown which of them stopped the instance. */
  calledTogether(): void {
    this.#stop = undefined;
  }

  /** The record in the answer to the stop. */
  #stopped(): Readonly<Record<string, unknown>> {
    return (this.#stop && actionRecordOf(this.#stop)) ?? {};
  }

  /** Ends the first run, since a start may have begun another one. */
  started(): void {
    this.#isOver = true;
    this.#running = undefined;
    this.#stop = undefined;
    this.#readings = [];
  }
}
