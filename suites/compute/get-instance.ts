/** GET /instances/{id}: the body is open, but not which instance it shows, nor which keys can read it. */

import { accepted, answeredWith, noServerError } from '../../harness/checks/compute/answers.ts';
import { describedAlike, variantOf } from '../../harness/checks/compute/record-relations.ts';
import { textOf } from '../../harness/checks/compute/records.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import {
  compareSingles,
  readSingle,
  someLive,
  someSingles,
} from '../../harness/drivers/compute/instances.ts';
import { foreignReading } from '../../harness/drivers/compute/actions.ts';
import { stopOfRunning } from '../../harness/drivers/compute/stops.ts';
import { terminationOfStopped } from '../../harness/drivers/compute/terminating.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { refusesIds } from './actions.ts';

const of = idsIn('get-instance');

/** The needs of cases that observe transient states. */
const passing = [
  'instances.provision',
  'consent.stop',
  'consent.terminate',
  'bindings.terminate',
] as const;

export default computeSection('get-instance', (test) => {
  refusesIds(test, 'get-instance');

  test(
    'an id that is nearly that of an instance is refused',
    { judges: [of('malformed-id')] },
    async (t) => {
      const [first] = await someLive(t);
      for (const almost of [first.id.slice(0, -1), first.id.slice(0, 8), `${first.id}0`]) {
        const answer = await t.api.get(almost);
        const what = `Reading ${almost}, which is nearly the id of an instance,`;
        t.judge(of('malformed-id'), answeredWith(answer, [400, 404], what));
      }
    },
  );

  test(
    'the instances of the list can be read one by one',
    { judges: [of('own-instance'), of('success-status')] },
    async (t) => {
      for (const { exchange, isLive } of await someSingles(t)) {
        // A terminated instance may be unreadable, and another case may terminate this one meanwhile.
        if (!isLive) continue;
        const what = 'Reading an instance of the own list';
        t.judge(of('own-instance'), accepted(exchange, what));
        const note = `a single read answers ${exchange.response?.status ?? 'nothing'}`;
        t.record(of('success-status'), note, exchange);
      }
    },
  );

  test(
    'the second account can read an instance of its own list',
    { judges: [of('own-instance')], needs: ['keys.second'] },
    async (t) => {
      const as = 'second';
      const { records } = await readInstances(t.api, {}, { as, mostPages: 1 });
      const id = records.flatMap((one) => textOf(one, 'instance_id') ?? [])[0];
      if (id === undefined) throw new NotExercised('keys.second has no instances');
      const { exchange, isLive } = await readSingle(
        {
          bindings: t.bindings,
          signal: t.signal,
          api: { get: async (one) => t.api.get(one, { as }) },
          observeInList: async (one) => t.observeInList(one, as),
        },
        id,
      );
      if (!isLive || exchange.response?.status === 403)
        throw new NotExercised('the instance was terminated, or policy keeps the key out');
      const what = 'Reading an instance of the list of keys.second with that key';
      t.judge(of('own-instance'), accepted(exchange, what));
    },
  );

  test(
    'a single record is that of the instance asked for, as the list describes it',
    { judges: [of('names-instance'), of('agrees-with-list')] },
    async (t) => {
      const { names, descriptions } = await compareSingles(t);
      // The contract does not show the body, so the record may have no id.
      judgeOrLack(t, of('names-instance'), names, 'no single record that was read has an id');
      judgeOrLack(
        t,
        of('agrees-with-list'),
        descriptions,
        `no single record that was read has one of ${describedAlike.join(', ')}`,
      );
    },
  );

  test(
    'which variant the single record follows is recorded',
    { judges: [of('variant')] },
    async (t) => {
      const [first] = await someSingles(t);
      const where = t.bindings.getInstance?.record;
      const note =
        first?.single === undefined
          ? 'no binding tells where the body holds the record'
          : `${variantOf(first.listed.record, first.single)}, at ${where}`;
      t.record(of('variant'), note, first?.exchange);
    },
  );

  test(
    'whether a terminated instance can be read is recorded, and to try brings about no server error',
    { judges: [of('terminated-readable'), of('terminated-no-5xx')] },
    async (t) => {
      const answer = await t.api.get(await t.terminated());
      const judgement = noServerError(answer, 'Reading a terminated instance');
      t.judge(of('terminated-no-5xx'), judgement);
      const note = `reading a terminated instance answers ${answer.response?.status ?? 'nothing'}`;
      t.record(of('terminated-readable'), note, answer);
    },
  );

  test(
    'an instance of another account cannot be read while it is stopped or destroyed, either',
    { judges: ['compute.scoping.foreign-get'], needs: passing, waitsLong: true },
    async (t) => {
      for (const [experiment, state] of [
        [stopOfRunning, 'being stopped'],
        [terminationOfStopped, 'being destroyed'],
      ] as const) {
        const { foreignGet } = await experiment(t);
        if (foreignGet === undefined) continue;
        const what = `Reading an instance of another account that is ${state}`;
        t.judge('compute.scoping.foreign-get', await foreignReading(t, foreignGet, 'second', what));
      }
    },
  );
});
