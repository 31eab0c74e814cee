import { accepted, answeredWithOneOf, refusedWith } from '../../harness/checks/compute/answers.ts';
import {
  describedAlike,
  namesInstance,
  sameDescription,
  variantOf,
} from '../../harness/checks/compute/single-record.ts';
import { almostUuids, nearlyUuids } from '../../harness/generate/nearly-uuid.ts';
import { agreesInTheEnd, readSingle, someLive } from '../../harness/drivers/compute/single.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';

export default computeSection('get-instance', (test) => {
  test(
    'the instances of the list can be read one by one',
    {
      judges: ['compute.get-instance.own-instance', 'compute.get-instance.success-status'],
      requests: 12,
    },
    async (t) => {
      for (const { id } of await someLive(t)) {
        const { exchange, isLive } = await readSingle(t, id);
        // Whether a terminated instance can still be read is open, and others may terminate it meanwhile.
        if (!isLive) continue;
        t.judge(
          'compute.get-instance.own-instance',
          accepted(exchange, 'Reading an instance of the own list'),
        );
        t.record(
          'compute.get-instance.success-status',
          `a single read answers ${exchange.response?.status ?? 'nothing'}`,
          exchange,
        );
      }
    },
  );

  test(
    'a single record is that of the instance asked for, as the list describes it',
    {
      judges: ['compute.get-instance.names-instance', 'compute.get-instance.agrees-with-list'],
      requests: 12,
    },
    async (t) => {
      let named = 0;
      let compared = 0;
      for (const { id, record } of await someLive(t)) {
        const { exchange, single } = await readSingle(t, id);
        if (single === undefined) continue;
        const name = namesInstance(single, id, exchange);
        t.judge('compute.get-instance.names-instance', name);
        named += name.seen;
        const first = sameDescription(record, single, describedAlike, exchange);
        compared += first.seen;
        const judgement = first.violations.length > 0 ? await agreesInTheEnd(t, id) : first;
        t.judge('compute.get-instance.agrees-with-list', judgement);
      }
      // What the single record holds is open.
      if (named === 0) {
        t.notExercised(
          'compute.get-instance.names-instance',
          'no single record that was read has an id',
        );
      }
      if (compared === 0) {
        t.notExercised(
          'compute.get-instance.agrees-with-list',
          `no single record that was read has one of ${describedAlike.join(', ')}`,
        );
      }
    },
  );

  test(
    'which variant the single record follows is recorded',
    { judges: ['compute.get-instance.variant'] },
    async (t) => {
      for (const { id, record } of (await someLive(t)).slice(0, 1)) {
        const { exchange, single } = await readSingle(t, id);
        const where = t.bindings.getInstance?.record;
        t.record(
          'compute.get-instance.variant',
          single === undefined
            ? 'no binding tells where the body holds the record'
            : `${variantOf(record, single)}, at ${where}`,
          exchange,
        );
      }
    },
  );

  test(
    'whether a terminated instance can be read is recorded',
    { judges: ['compute.get-instance.terminated-readable'] },
    async (t) => {
      const answer = await t.api.get(await t.terminated());
      t.record(
        'compute.get-instance.terminated-readable',
        `reading a terminated instance answers ${answer.response?.status ?? 'nothing'}`,
        answer,
      );
    },
  );

  test(
    'an id that exists nowhere is not found',
    { judges: ['compute.get-instance.unknown-id'] },
    async (t) => {
      const answer = await t.api.get(t.unknownInstanceId());
      t.judge('compute.get-instance.unknown-id', refusedWith(answer, 404, 'Reading an unknown id'));
    },
  );

  test(
    'an id that is no UUID is refused',
    { judges: ['compute.get-instance.malformed-id'], requests: 23 },
    async (t) => {
      await t.property(
        'an id that is nearly a UUID',
        nearlyUuids(t.unknownInstanceId()),
        async (id, judge) => {
          const answer = await t.api.get(id);
          judge(
            'compute.get-instance.malformed-id',
            answeredWithOneOf(answer, [400, 404], `Reading the id ${JSON.stringify(id)}`),
          );
        },
        { weight: 0.5, examples: almostUuids(t.unknownInstanceId()) },
      );
      for (const { id } of (await someLive(t)).slice(0, 1)) {
        for (const almost of [id.slice(0, -1), id.slice(0, 8), `${id}0`]) {
          t.judge(
            'compute.get-instance.malformed-id',
            answeredWithOneOf(
              await t.api.get(almost),
              [400, 404],
              `Reading ${almost}, which is nearly the id of an instance,`,
            ),
          );
        }
      }
    },
  );
});
