/** Isolation of accounts: a key can neither see nor change another account's instances; accounts share reference data. */

import { notAccepted } from '../../harness/checks/compute/answers.ts';
import { stillIn } from '../../harness/checks/compute/actions.ts';
import { sameForBoth, showsNoneOf, samePresets } from '../../harness/checks/compute/scoping.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { foreignReading, likeUnknownInstance } from '../../harness/drivers/compute/actions.ts';
import { someLive } from '../../harness/drivers/compute/instances.ts';
import {
  type ComputeContext,
  computeSection,
  idsIn,
} from '../../harness/drivers/compute/session.ts';
import { type Listing, readInstances } from '../../harness/drivers/collection/reading.ts';
import { reportVerdicts } from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { disjoint } from '../../harness/checks/collection/walk.ts';
import { nextCursor } from '../../harness/checks/collection/bounds.ts';
import {
  changesNothing,
  cursorQueries,
  pagesFor,
  judgeForeign,
  presetsOfBoth,
  primaryList,
  regionsOf,
  someRarer,
  widened,
} from '../../harness/drivers/compute/accounts.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { presetsInOrder } from '../../harness/checks/collection/sorts.ts';
import { inOneOrder } from './collections.ts';
import { presetQueries } from './laws/other-account.ts';

const of = idsIn('scoping');

const OTHER = 'second';
/** Disposable instances of the primary account that the second key tries to use; no case stops the running one. */
const SHARED = 'seen from another account';
const RUNNING = 'seen from another account while it runs';

const SAME = of('presets-shared');
const STABLE = 'compute.presets.default-order-stable' as const;
const PRICED = 'compute.presets.sort-hourly-price' as const;

function inOtherCase(id: string): string {
  return id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
}

async function stoppedShared(t: ComputeContext) {
  const probe = new InstanceProbe(t, await t.shared(SHARED), true);
  await probe.stopAndWait();
  return { id: probe.id, probe };
}

const changing = { isolation: { fixtures: [SHARED] }, waitsLong: true } as const;

/** Actions of the second key on instances of the first; the response must be that for an unknown id. */
const foreignActions = [
  {
    title: 'a stop of a stopped instance of another account is not found',
    action: 'stop',
    what: 'a stopped instance of another account',
    bring: async (t: ComputeContext) => ({ id: await t.stopped(), probe: undefined }),
  },
  ...(['stop', 'terminate'] as const).map((action) => ({
    title: `a ${action} of a terminated instance of another account is no conflict, but not found`,
    action,
    what: 'a terminated instance of another account',
    bring: async (t: ComputeContext) => ({ id: await t.terminated(), probe: undefined }),
  })),
  {
    title: 'a start with the key of another account is refused',
    action: 'start',
    what: 'an instance of another account',
    bring: stoppedShared,
    ...changing,
  },
  {
    title: 'a terminate of a stopped instance of another account is refused',
    action: 'terminate',
    what: 'a stopped instance of another account',
    bring: stoppedShared,
    ...changing,
  },
] as const;

export default computeSection('scoping', (test) => {
  test(
    'the lists of two accounts have nothing in common',
    { judges: [of('lists-disjoint')] },
    async (t) => {
      const first = await readInstances(t.api);
      const second = await readInstances(t.api, {}, { as: 'second' });
      if (first.ids.length === 0 || second.ids.length === 0) {
        throw new NotExercised('needs instances in the accounts of keys.primary and keys.second');
      }
      const apart = disjoint(first, second, first);
      const isWrong = apart.violations.length > 0;
      t.judge(
        of('lists-disjoint'),
        isWrong ? disjoint(first, second, await readInstances(t.api)) : apart,
      );
    },
  );

  test(
    'no parameter widens the list to another account',
    { judges: [of('list-not-widened')] },
    async (t) => {
      const { ids, records } = await primaryList(t);
      for (const { what, query, ...options } of t.some(widened(records[0]), 4)) {
        const page = await t.api.list(query, { as: OTHER, ...options });
        t.judge(of('list-not-widened'), showsNoneOf(ids, page, what));
      }
    },
  );

  test(
    'filters and searches for what another account has stay inside',
    { judges: [of('filters-stay-inside')] },
    async (t) => {
      const lists = {
        primary: await primaryList(t),
        second: await readInstances(t.api, {}, { as: 'second' }),
      };
      for (const [owner, reader] of [
        ['primary', 'second'],
        ['second', 'primary'],
      ] as const) {
        const { ids, records } = lists[owner];
        const [newest] = records;
        if (newest === undefined) continue;
        for (const { page, what } of await pagesFor(t, newest, reader, lists[reader])) {
          t.judge(of('filters-stay-inside'), showsNoneOf(ids, page, what));
        }
      }
    },
  );

  test(
    'a cursor of one account gives another nothing of it',
    { judges: [of('foreign-cursor')] },
    async (t) => {
      let cursors = 0;
      for (const [owner, as] of [
        ['primary', 'second'],
        ['second', 'primary'],
      ] as const) {
        const { ids: foreign, records } = await readInstances(t.api, {}, { as: owner });
        for (const query of t.some(cursorQueries(records[0]), 2, 4)) {
          const cursor = nextCursor(await t.api.list({ ...query, size: 1 }, { as: owner }));
          if (typeof cursor !== 'string') continue;
          cursors += 1;
          const page = await t.api.list({ ...query, size: 1, cursor }, { as });
          const what = `A cursor of keys.${owner} for ${JSON.stringify(query)}`;
          t.judge(of('foreign-cursor'), showsNoneOf(foreign, page, what));
        }
      }
      if (cursors === 0) throw new NotExercised('no account has a second page of one instance');
    },
  );

  test('two accounts read the same regions', { judges: [of('regions-shared')] }, async (t) => {
    // An account without instances must get the same regions, and so must a key that may not act.
    const { empty, forbidden } = t.target.keys;
    const others = ['second', ...(empty ? ['empty'] : []), ...(forbidden ? ['forbidden'] : [])];
    const answer = await t.api.regions();
    let first = regionsOf(t, answer);
    for (const as of others) {
      const answerToOther = await t.api.regions({ as });
      if (as !== 'second' && !isSuccess(answerToOther)) continue;
      const other = regionsOf(t, answerToOther);
      const repeated = other === first ? first : regionsOf(t, await t.api.regions());
      const readings = { first, other, repeated };
      t.judge(of('regions-shared'), sameForBoth(readings, 'regions', answerToOther, answer));
      first = repeated;
    }
  });

  test(
    'two accounts read the same presets in one order, all of them, those of a region, and in a sort',
    { judges: [SAME, STABLE] },
    async (t) => {
      const inOrderOfPrice = (list: Listing) =>
        presetsInOrder('HOURLY_PRICE', [['ASC', list]], t.bindings);
      for (const [query, reader] of t.some(await presetQueries(t), 3)) {
        const other = t.target.keys[reader] === undefined ? OTHER : reader;
        const verdicts = await presetsOfBoth(t, query, other, (...all) => {
          if (Object.keys(query).length === 0 && all[0].ids.length === 0)
            throw new NotExercised('there are no presets');
          const same = { requirement: SAME, judgement: samePresets(...all) };
          if ('sort_field' in query) {
            // Prices that are the same for both did not move, so their order is that of one moment.
            const isSame = same.judgement.seen > 0 && same.judgement.violations.length === 0;
            const judgement = isSame ? inOrderOfPrice(all[1]) : notObserved;
            return [same, { requirement: PRICED, judgement }];
          }
          return [same, { requirement: STABLE, judgement: inOneOrder(t, ...all) }];
        });
        reportVerdicts(t, verdicts);
        if (verdicts.some(({ judgement }) => judgement.violations.length > 0)) return;
      }
    },
  );

  test(
    'an instance of another account cannot be read, like one that does not exist',
    { judges: [of('foreign-get'), of('foreign-get-same')] },
    async (t) => {
      const live = (await someLive(t)).slice(0, 4).map(({ id }) => id);
      const what = 'Reading an instance of another account';
      const ask = async (id: string, key: string = OTHER) => t.api.get(id, { as: key });
      const [own] = live;
      // The empty account must not see foreign instances either.
      if (own !== undefined && t.target.keys.empty !== undefined) {
        const told = `${what} with an empty one's key`;
        const reading = await foreignReading(t, await ask(own, 'empty'), 'empty', told);
        t.judge(of('foreign-get'), reading);
      }
      for (const id of t.some([...new Set([...t.some(live, 2, 2), ...(await someRarer(t))])])) {
        // The second key reads right after the owner, since a server may cache the last response.
        await t.api.get(id);
        const foreign = await ask(id);
        t.judge(of('foreign-get'), await foreignReading(t, foreign, OTHER, what));
        // The contract does not say whether ids are case-sensitive, nor how another case is rejected.
        const inOther = notAccepted(
          await ask(inOtherCase(id)),
          `${what} by its id in another case`,
        );
        t.judge(of('foreign-get'), inOther);
        const askForeign = async () => ask(id);
        const askUnknown = async () => ask(t.unknownInstanceId());
        t.judge(
          of('foreign-get-same'),
          await likeUnknownInstance(t, foreign, askForeign, askUnknown),
        );
      }
    },
  );

  for (const action of ['stop', 'terminate'] as const) {
    test(
      `a ${action} with the key of another account is refused and changes nothing`,
      {
        judges: [
          of(`foreign-${action}`),
          of(`foreign-${action}-same`),
          of(`foreign-${action}-changes-nothing`),
        ],
        isolation: { fixtures: [RUNNING] },
        waitsLong: true,
      },
      async (t) => {
        const probe = new InstanceProbe(t, await t.shared(RUNNING), true);
        await probe.rest();
        const judgement = await changesNothing(t, probe, async () =>
          judgeForeign(t, action, probe.id, 'an instance of another account'),
        );
        t.judge(of(`foreign-${action}-changes-nothing`), judgement);
      },
    );
  }

  for (const { title, action, what, bring, ...options } of foreignActions) {
    const judges = [of(`foreign-${action}`), of(`foreign-${action}-same`)] as const;
    test(title, { judges, ...options }, async (t) => {
      const { id, probe } = await bring(t);
      const foreign = await judgeForeign(t, action, id, what);
      if (probe === undefined) return;
      const after = await probe.requireStatus();
      const stays = stillIn(after, ['STOPPED'], foreign, `A ${action} from another account`);
      t.judge(of(`foreign-${action}`), stays);
    });
  }
});
