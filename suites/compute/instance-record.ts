/** The instance record: its fields in both variants, and relations between them. */

import {
  instanceFieldNames,
  instanceFields,
  isInstanceField,
  fieldRequirement,
} from '../../schemas/compute/wire.ts';
import { instances } from './collections.ts';
import { wholeOf } from '../../harness/drivers/collection/collection.ts';
import { isRegionCode } from '../../schemas/compute/regions.ts';
import { distinctTexts } from '../../harness/checks/collection/chosen-values.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { findsAll } from '../../harness/checks/collection/filter.ts';
import {
  claimIn,
  costOfCurrentRun,
  costsInUnit,
  datesNotAhead,
  inBothReadings,
  runtimeHoldsRun,
  withinLife,
} from '../../harness/checks/compute/figures.ts';
import { together } from '../../harness/checks/judgement.ts';
import {
  listedBesidePresets,
  readTwice,
  runtimeClaims,
} from '../../harness/drivers/compute/records.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { locationWithinRegion } from '../../harness/checks/compute/variants.ts';
import { bootRunStop, stopOfRunning } from '../../harness/drivers/compute/stops.ts';
import { terminationOfStopped } from '../../harness/drivers/compute/terminating.ts';
import {
  makesInstances,
  repeatedTerminates,
  terminationOfRunning,
} from '../../harness/drivers/compute/terminations.ts';
import { showsNoUse, storageIn } from '../../harness/checks/compute/storage.ts';
import {
  type ComputeContext,
  computeSection,
  idsIn,
} from '../../harness/drivers/compute/session.ts';
import { requireItems, judgeAround } from '../../harness/drivers/collection/whole-list.ts';

const of = idsIn('instance-record');

/** Mandatory fields; the contract does not say whether a nullable field may be absent. */
const slugs = instanceFieldNames
  .filter((name) => !instanceFields[name].nullable)
  .map((name) => instanceFields[name].slug);

function hasBothDates(record: WireRecord): boolean {
  return ['started_at', 'terminated_at'].every((field) => typeof record[field] === 'string');
}

const newest = { mostPages: 1 } as const;

async function stopsOfRunning(t: ComputeContext) {
  const { stop: answer, running: listed, probe } = await bootRunStop(t);
  return [await stopOfRunning(t), { probe, listed, answer }];
}

async function terminates(t: ComputeContext) {
  return [await terminationOfRunning(t), await terminationOfStopped(t)];
}

export default computeSection('instance-record', (test) => {
  // The universal checks judge the fields; these cases only provoke responses with records.
  test(
    'the items of a list page have the documented fields',
    {
      judges: [
        of('id-unique'),
        of('list-nullable-there'),
        of('figures-not-negative'),
        ...slugs.map((slug) => fieldRequirement('list', slug)),
      ],
    },
    async (t) => {
      const { ids } = await readInstances(t.api, {}, newest);
      if (ids.length === 0) throw new NotExercised('the primary key sees no instances');
    },
  );

  test(
    'the answer to a stop has the documented fields',
    {
      judges: [
        of('action-nullable-there'),
        of('action-region-narrower'),
        of('action-size-headline'),
        of('action-cost-whole-life'),
        ...slugs.map((slug) => fieldRequirement('action', slug)),
      ],
    },
    async (t) => {
      await t.api.stop(await t.stopped());
    },
  );

  for (const [status, slugsOfStatus] of [
    ['running', ['running-has-started']],
    ['terminated', ['terminated-has-date', 'terminated-has-reason', 'terminated-after-start']],
    ['stopped', ['alive-has-no-date', 'alive-has-no-reason']],
  ] as const) {
    const [first, ...others] = slugsOfStatus;
    const judges = [of(first), ...others.map((slug) => of(slug))] as const;
    test(`dates and reasons of ${status} instances`, { judges }, async (t) => {
      const { records } = await readInstances(t.api, { status }, newest);
      if (records.length === 0) throw new NotExercised(`no instance of the account is ${status}`);
      if (status === 'terminated' && !records.some(hasBothDates)) {
        t.notExercised(of('terminated-after-start'), 'no terminated instance shows both dates');
      }
    });
  }

  test(
    'an instance is found under its own region',
    { judges: [of('list-region-offered')] },
    async (t) => {
      const whole = wholeOf(t, instances, {}, newest);
      const { records } = await requireItems(whole, 1, 'instances');
      const codes = distinctTexts(records, 'region').filter(isRegionCode);
      if (codes.length === 0) throw new NotExercised('no instance shows a region code');
      for (const region of codes) {
        const matches = (record: WireRecord) => record['region'] === region;
        await judgeAround(
          t,
          whole,
          of('list-region-offered'),
          async () => readInstances(t.api, { region }),
          (around, part) => findsAll({ ...around, part, matches, filter: `region=${region}` }),
        );
      }
    },
  );

  test(
    'hours, dates and the cost of a run fit the clock',
    { judges: [of('dates-fit-the-clock'), of('list-cost-of-current-run'), of('runtime-in-hours')] },
    async (t) => {
      const [first, second] = await readTwice(t, 'primary');
      const others = t.target.keys.second === undefined ? [] : [await readTwice(t, 'second')];
      judgeOrLack(
        t,
        of('dates-fit-the-clock'),
        inBothReadings(first, second, datesNotAhead),
        'no instance has a date',
      );
      judgeOrLack(
        t,
        of('list-cost-of-current-run'),
        together(
          ...[[first, second] as const, ...others].flatMap((both) => [
            inBothReadings(...both, costOfCurrentRun),
            costsInUnit(...both),
          ]),
        ),
        'no running instance has cost far more than its current run, or runs since yesterday',
      );
      judgeOrLack(
        t,
        of('runtime-in-hours'),
        together(
          inBothReadings(first, second, runtimeHoldsRun),
          withinLife(await runtimeClaims(t, second)),
        ),
        'no instance runs since yesterday, or has run for hours',
      );
    },
  );

  test('dates of instances name one instant', { judges: [of('dates-are-instants')] }, async (t) => {
    const { records } = await readInstances(t.api, {}, newest);
    if (records.some((record) => typeof record['started_at'] === 'string')) return;
    t.notExercised(of('dates-are-instants'), 'no instance has a date');
  });

  test(
    'what the contract leaves open of a record is recorded',
    {
      judges: [
        of('terminated-date-while-terminating'),
        of('guest-ready-values'),
        of('extra-fields'),
      ],
    },
    async (t) => {
      const { records, exchanges } = await requireItems(wholeOf(t, instances), 1, 'instances');
      const terminating = records.filter((record) => record['status'] === 'TERMINATING');
      const dated = terminating.filter((record) => typeof record['terminated_at'] === 'string');
      t.record(
        of('terminated-date-while-terminating'),
        `${dated.length} of ${terminating.length} TERMINATING instances have a date`,
        exchanges[0],
      );
      t.record(
        of('guest-ready-values'),
        distinctTexts(records, 'guest_ready').slice(0, 10).join(', '),
        exchanges[0],
      );
      const extra = new Set(records.flatMap((record) => Object.keys(record)));
      const names = [...extra].filter((name) => !isInstanceField(name));
      t.record(of('extra-fields'), names.length === 0 ? 'none' : names.join(', '), exchanges[0]);
    },
  );

  for (const [actions, meet] of [
    ['stops', stopsOfRunning],
    ['terminates', terminates],
  ] as const) {
    test(
      `the answers to ${actions} of what runs show where it is, and for how long it has run`,
      { judges: [of('action-region-narrower'), of('runtime-in-hours')], waitsLong: true },
      async (t) => {
        const { places } = await listedBesidePresets(t);
        const ended = await meet(t);
        const within = ended.map(({ listed, answer }) =>
          locationWithinRegion(listed?.record ?? {}, answer, places),
        );
        judgeOrLack(
          t,
          of('action-region-narrower'),
          together(...within),
          'the presets show no location that the answers show, or that in no region',
        );
        const claims = ended.flatMap(({ probe, answer }) => {
          const [first] = probe.observedStates;
          return first === undefined || !makesInstances(t) ? [] : claimIn(answer, first.exchange);
        });
        judgeOrLack(
          t,
          of('runtime-in-hours'),
          withinLife(claims),
          'the answers show fewer than four hours of runtime, or the instances were there before',
        );
      },
    );
  }

  test(
    'the answers to terminates of what runs show disks, and not what is in use of them',
    { judges: [of('action-storage-not-use')], waitsLong: true },
    async (t) => {
      const { disks } = await listedBesidePresets(t);
      const ended = [await terminationOfRunning(t), await repeatedTerminates(t)];
      const storage = ended.flatMap(({ listed, answer }) =>
        listed === undefined ? [] : storageIn(listed.record, answer),
      );
      judgeOrLack(
        t,
        of('action-storage-not-use'),
        showsNoUse(storage, disks),
        'the storage of presets is no number, or both figures of instances are the same by chance',
      );
    },
  );
});
