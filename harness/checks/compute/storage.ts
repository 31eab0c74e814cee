/** The disk of an instance and the storage in use, in lists and in responses to stops (compute#variants/rule-4). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from '../judgement.ts';
import { answeredNumber, numberOf, type ShownRecord, textOf, type WireRecord } from './records.ts';
import { offered } from './presets.ts';
import type { BesidePresets } from './variants.ts';
import { ROUNDING } from './figures.ts';

const STORAGE = 'storage_used_gb';

/** Units may differ by less than this factor, as decimal and binary gigabytes do. */
const UNITS_APART = 2;

/** Two responses about one instance show the same disk; responses without a figure are not judged. */
export function sameDisk(before: Exchange, after: Exchange, since: string): Judgement {
  const [first, second] = [before, after].map((answer) => answeredNumber(answer, STORAGE));
  if (first === undefined || second === undefined) return notObserved;
  return expectThat(
    first === second,
    `The provisioned disk of an instance changed ${since}.`,
    { expected: first, actual: second },
    after,
    before,
  );
}

/** The disk in the response to a stop has room for the storage in use that a list showed before. */
export function diskKept(listed: WireRecord, stop: Exchange): Judgement {
  const [used, disk] = [numberOf(listed, STORAGE), answeredNumber(stop, STORAGE)];
  if (used === undefined || disk === undefined || used === 0) return notObserved;
  return expectThat(
    used <= disk * UNITS_APART,
    'The disk of an instance that is stopped has no room for what was in use before.',
    { expected: `at least ${used}`, actual: disk },
    stop,
  );
}

/** Storage that may vanish with a stop, in gigabytes: swap and temporary files. */
const MIN_IN_USE_GB = 1;

/** A list that showed storage in use while the instance ran does not show zero once it has stopped. */
export function useKept(running: ShownRecord, stopped: ShownRecord): Judgement {
  const [before, after] = [running, stopped].map(({ record }) => numberOf(record, STORAGE));
  if (running.record['status'] !== 'RUNNING' || stopped.record['status'] !== 'STOPPED')
    return notObserved;
  if (before === undefined || after === undefined || before < MIN_IN_USE_GB) return notObserved;
  return expectThat(
    after !== 0,
    'Nothing of the storage of an instance is in use any more once it has stopped.',
    { expected: `about ${before}`, actual: after },
    stopped.exchange,
    running.exchange,
  );
}

/** Share of a stopped instance's storage in use that remains at least: no guest is running that could free it. */
const RESTING_SHARE = 0.6;

/** A stop of a stopped instance frees no storage in use; both records were read in the same way. */
export function useRests(before: ShownRecord, after: ShownRecord | undefined): Judgement {
  const [first, second] = [before, after].map((one) => one && numberOf(one.record, STORAGE));
  if (after === undefined || first === undefined || second === undefined) return notObserved;
  // A zero may mean that nothing was measured.
  if (first < MIN_IN_USE_GB || second === 0) return notObserved;
  return expectThat(
    second >= RESTING_SHARE * first,
    'A stop of a stopped instance freed storage that was in use.',
    { expected: `about ${first}`, actual: second },
    after.exchange,
    before.exchange,
  );
}

/** One stopped instance: the storage in use in a list, and the disk in the response to a stop. */
interface StorageObservation {
  readonly used: number;
  readonly disk: number;
  readonly exchange: Exchange;
}

/** Instances that must all show the same figure twice before this counts as more than chance. */
const TELLING_SIGHTS = 2;

/** Both figures of an instance, when both are shown. */
export function storageIn(listed: WireRecord, stop: Exchange): readonly StorageObservation[] {
  const [used, disk] = [numberOf(listed, STORAGE), answeredNumber(stop, STORAGE)];
  return used === undefined || disk === undefined ? [] : [{ used, disk, exchange: stop }];
}

/**
 * The figure in responses to stops and terminates is the disk, not the storage in use. A disk may be full, and may have
 * a size that no preset has. But when the disks of all instances equal their storage in use, and some figure is
 * fractional, it is the storage in use.
 */
export function showsNoUse(
  observations: readonly StorageObservation[],
  presetDisks: ReadonlySet<number>,
): Judgement {
  const asUsed = observations.filter(({ used, disk }) => used === disk && !presetDisks.has(disk));
  if (observations.length === 0 || presetDisks.size === 0) return notObserved;
  const isEach = asUsed.length === observations.length;
  const isInParts = asUsed.some(({ disk }) => !Number.isInteger(disk));
  const isUse = isEach && observations.length >= TELLING_SIGHTS && isInParts;
  if (!isUse && isEach) return notObserved;
  return expectThat(
    !isUse,
    'The answers to stops or terminates show the storage in use, and not the provisioned disk.',
    {
      expected: `a disk, as those of the presets: ${[...presetDisks].slice(0, 10).join(', ')}`,
      actual: asUsed.map(({ disk }) => disk),
    },
    ...asUsed.map(({ exchange }) => exchange),
  );
}

/** The response to a terminate shows the same disk as a stop before, not the storage in use that a list showed. */
export function terminateShowsNoUse(
  listed: WireRecord | undefined,
  stop: Exchange,
  terminate: Exchange,
): Judgement {
  const used = listed && numberOf(listed, STORAGE);
  const [disk, shown] = [stop, terminate].map((answer) => answeredNumber(answer, STORAGE));
  // An instance that is being destroyed may have no disk any more.
  if (used === undefined || used === disk || disk === undefined) return notObserved;
  if (shown === undefined || shown === 0) return notObserved;
  return expectThat(
    shown !== used,
    'The answer to a terminate shows the storage in use, and not the provisioned disk.',
    { expected: disk, actual: shown },
    terminate,
    stop,
  );
}

/** The storage in use that a list showed is not above the disk in the response to a stop. */
export function withinDisk(listed: WireRecord, stop: Exchange): Judgement {
  const [used, disk] = [numberOf(listed, STORAGE), answeredNumber(stop, STORAGE)];
  if (used === undefined || disk === undefined) return notObserved;
  return expectThat(
    used <= UNITS_APART * disk + ROUNDING,
    'The storage in use is above the provisioned disk.',
    { expected: `at most ${disk}`, actual: used },
    stop,
  );
}

/** Listed instances that must all show a full disk before this counts as more than chance. */
const FULL_BY_NO_CHANCE = 5;

/**
 * The storage of listed instances is the storage in use, not the storage of their presets. Instances that show 0 say nothing,
 * since those that were terminated have neither.
 */
export function showsUse({ records, presets, bindings, exchanges }: BesidePresets): Judgement {
  const disks = offered(presets, 'storage', bindings);
  const shown = records.flatMap((record) => {
    const disk = disks.get(textOf(record, 'size') ?? '');
    const storage = numberOf(record, STORAGE);
    return disk === undefined || storage === undefined || storage === 0
      ? []
      : [{ storage, isDisk: disk.has(storage) }];
  });
  if (shown.length < FULL_BY_NO_CHANCE) return notObserved;
  return expectThat(
    shown.some(({ isDisk }) => !isDisk),
    'A list shows the provisioned disk of every instance, and not the storage in use.',
    { expected: 'the storage in use', actual: shown.slice(0, 10).map(({ storage }) => storage) },
    ...exchanges,
  );
}
