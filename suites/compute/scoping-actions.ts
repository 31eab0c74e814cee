import { isTelling, notAccepted, refusedWith } from '../../harness/checks/compute/answers.ts';
import { mayBeAutomatic, stillIn } from '../../harness/checks/compute/actions.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { foreignNotFound } from '../../harness/checks/compute/scoping.ts';
import { instancesOf, textOf } from '../../harness/checks/compute/records.ts';
import { lastingChange, unchanged } from '../../harness/checks/compute/record-relations.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { judgeOrLack } from '../../harness/runner/case.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { likeUnknownInstance } from '../../harness/drivers/compute/actions.ts';
import { someLive } from '../../harness/drivers/compute/instances.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { retry } from '../../harness/runner/retry.ts';

const as = 'second';
/** One disposable instance of the primary account serves all that the second key tries. */
const SHARED = 'seen from another account';
const exclusive = [SHARED];

/** States that the newest instances may lack; terminated ones must be out of sight for another account all the same. */
const rarer = ['stopped', 'errored', 'terminated'] as const;

async function someRarer(t: ComputeContext): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const status of rarer) {
    const records = instancesOf(await t.api.list({ status, size: 2 })) ?? [];
    ids.push(...records.flatMap((record) => textOf(record, 'instance_id') ?? []));
  }
  return ids;
}

function inOtherCase(id: string): string {
  return id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
}

/** An answer that tells something. What is refused to a foreign key may be asked for again. */
async function told(t: ComputeContext, ask: () => Promise<Exchange>): Promise<Exchange> {
  return retry(t, 'foreignAnswer', ask, isTelling);
}

async function resting(t: ComputeContext): Promise<Life> {
  const life = new Life(t, await t.shared(SHARED), true);
  await life.rest();
  return life;
}

/** Tries an action with the foreign key: it must find what it finds for an id that exists nowhere. */
async function judgeForeign(
  t: ComputeContext,
  action: 'stop' | 'terminate' | 'start',
  id: string,
  what: string,
): Promise<Exchange> {
  const askForeign = async () => told(t, async () => t.api[action](id, { as }));
  const askUnknown = async () => told(t, async () => t.api[action](t.unknownInstanceId(), { as }));
  const foreign = await askForeign();
  t.judge(
    `compute.scoping.foreign-${action}-same`,
    await likeUnknownInstance(foreign, askForeign, askUnknown),
  );
  judgeOrLack(
    t,
    `compute.scoping.foreign-${action}`,
    foreignNotFound(foreign, await askUnknown(), `A ${action} of ${what}`),
    `policy forbids keys.second to ${action} anything`,
  );
  return foreign;
}

export default computeSection('scoping', (test) => {
  test(
    'an instance of another account cannot be read, like one that does not exist',
    { judges: ['compute.scoping.foreign-get', 'compute.scoping.foreign-get-same'], requests: 47 },
    async (t) => {
      const live = (await someLive(t)).slice(0, 4).map(({ id }) => id);
      const [own] = live;
      // An account that has nothing may see no more than one that has something.
      if (own !== undefined && t.target.keys.empty !== undefined) {
        t.judge(
          'compute.scoping.foreign-get',
          refusedWith(
            await t.api.get(own, { as: 'empty' }),
            404,
            'Reading an instance of another account with the key of an empty one',
          ),
        );
      }
      for (const id of new Set([...live, ...(await someRarer(t))])) {
        // Right after its owner: what was just read may be kept for the next one who asks.
        await t.api.get(id);
        const foreign = await t.api.get(id, { as });
        t.judge(
          'compute.scoping.foreign-get',
          refusedWith(foreign, 404, 'Reading an instance of another account'),
        );
        // Whether an id minds case is open, and so is how one that does is refused.
        t.judge(
          'compute.scoping.foreign-get',
          notAccepted(
            await t.api.get(inOtherCase(id), { as }),
            'Reading an instance of another account by its id in another case',
          ),
        );
        t.judge(
          'compute.scoping.foreign-get-same',
          await likeUnknownInstance(
            foreign,
            async () => t.api.get(id, { as }),
            async () => t.api.get(t.unknownInstanceId(), { as }),
          ),
        );
      }
    },
  );

  for (const action of ['stop', 'terminate'] as const) {
    test(
      `a ${action} with the key of another account is refused and changes nothing`,
      {
        judges: [
          `compute.scoping.foreign-${action}`,
          `compute.scoping.foreign-${action}-same`,
          `compute.scoping.foreign-${action}-changes-nothing`,
        ],
        exclusive,
        waits: true,
        requests: 10,
      },
      async (t) => {
        const life = await resting(t);
        const listed = await t.lookInList(life.id);
        const before = await life.requireStatus();
        const foreign = await judgeForeign(t, action, life.id, 'an instance of another account');
        const after = await life.requireStatus();
        const later = await life.requireStatus();
        if (before.status !== 'ERRORED' && later.status === 'ERRORED') {
          t.inconclusive(
            `compute.scoping.foreign-${action}-changes-nothing`,
            'the instance erred while it was looked at, as it may at any time',
          );
          return;
        }
        const [first, second] = [after, later].map((look) =>
          unchanged({
            before: before.record,
            after: look.record,
            exchanges: [foreign, before.exchange, look.exchange],
            apartFrom: mayBeAutomatic(before.status, look.status, listed?.record) ? ['status'] : [],
          }),
        );
        t.judge(
          `compute.scoping.foreign-${action}-changes-nothing`,
          lastingChange(first ?? notObserved, second ?? notObserved),
        );
      },
    );
  }

  test(
    'a stop of a stopped instance of another account is not found',
    { judges: ['compute.scoping.foreign-stop', 'compute.scoping.foreign-stop-same'], requests: 3 },
    async (t) => {
      const id = await t.stopped();
      await judgeForeign(t, 'stop', id, 'a stopped instance of another account');
    },
  );

  for (const action of ['stop', 'terminate'] as const) {
    test(
      `a ${action} of a terminated instance of another account is no conflict, but not found`,
      {
        judges: [`compute.scoping.foreign-${action}`, `compute.scoping.foreign-${action}-same`],
        requests: 3,
      },
      async (t) => {
        const id = await t.terminated();
        await judgeForeign(t, action, id, 'a terminated instance of another account');
      },
    );
  }

  test(
    'a start with the key of another account is refused',
    {
      judges: ['compute.scoping.foreign-start', 'compute.scoping.foreign-start-same'],
      exclusive,
      waits: true,
      requests: 12,
    },
    async (t) => {
      const life = new Life(t, await t.shared(SHARED), true);
      await life.stopAndWait();
      const foreign = await judgeForeign(t, 'start', life.id, 'an instance of another account');
      t.judge(
        'compute.scoping.foreign-start',
        stillIn(await life.requireStatus(), ['STOPPED'], foreign, 'A start from another account'),
      );
    },
  );

  test(
    'a terminate of a stopped instance of another account is refused',
    { judges: ['compute.scoping.foreign-terminate'], exclusive, waits: true, requests: 12 },
    async (t) => {
      const life = new Life(t, await t.shared(SHARED), true);
      await life.stopAndWait();
      const what = 'a stopped instance of another account';
      const foreign = await judgeForeign(t, 'terminate', life.id, what);
      t.judge(
        'compute.scoping.foreign-terminate',
        stillIn(
          await life.requireStatus(),
          ['STOPPED'],
          foreign,
          'A terminate from another account',
        ),
      );
    },
  );
});
