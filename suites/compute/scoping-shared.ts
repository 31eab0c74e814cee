import { sameForBoth } from '../../harness/checks/compute/scoping.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { canonicalJson, canonicalSets, jsonBody } from '../../harness/exchange/body.ts';
import { type Judgement, notObserved } from '../../harness/checks/judgement.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  type Listing,
  type ListQuery,
  readPresetList,
} from '../../harness/drivers/collection/reading.ts';
import { inOneOrder } from '../../harness/drivers/compute/preset-order.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { readRegionCodes } from '../../harness/target/bindings.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { computeNeeds } from '../../schemas/compute/needs.ts';
import { retry } from '../../harness/runner/retry.ts';

/** The codes where the target file says how to read them, otherwise the whole body. A set is written in any order. */
function regionsOf({ bindings }: ComputeContext, answer: Exchange): string {
  const body = jsonBody(answer);
  if (!isSuccess(answer) || !body.ok) throw new Inconclusive('the regions cannot be read');
  const path = bindings.regions?.codes;
  const codes = path === undefined ? undefined : readRegionCodes(body.value, path);
  return canonicalSets(codes?.ok === true ? codes.value : body.value);
}

/** What one account reads, the other, and the first one again. */
type Readings = readonly [first: Listing, other: Listing, later: Listing];

/** Reads the presets that a query selects three times. Throws `Inconclusive` where they cannot be read. */
async function readings(t: ComputeContext, query: ListQuery): Promise<Readings> {
  if (t.bindings.presets?.items === undefined) {
    const { purpose, line } = computeNeeds['bindings.presets.items'];
    throw new NotExercised(`needs ${purpose}`, line);
  }
  const read = async (as: string) => readPresetList(t.api, t.bindings, query, { as });
  const all = [await read('primary'), await read('second'), await read('primary')] as const;
  if (!all.every(({ readable }) => readable)) throw new Inconclusive('the presets cannot be read');
  return all;
}

function samePresets([first, other, later]: Readings): Judgement {
  if (first.ids.length === 0 && other.ids.length === 0) return notObserved;
  const exchanges = [...other.exchanges, ...first.exchanges];
  const whole = ({ records }: Listing) => records.map((record) => canonicalJson(record));
  const bound = ({ ids }: Listing) => ids;
  // What moves in the members that nobody named leaves the others to be held against each other.
  for (const contentOf of [whole, bound]) {
    const [one, two, three] = [first, other, later].map((list) => contentOf(list).toSorted());
    const judgement = sameForBoth(
      { first: one, other: two, again: three },
      'presets',
      ...exchanges,
    );
    if (judgement.seen > 0) return judgement;
  }
  return notObserved;
}

/** Reads until nothing looks wrong, or what is read from a copy would have caught up. */
async function readUntilRight(
  t: ComputeContext,
  query: ListQuery,
  judge: (readings: Readings) => Judgement,
): Promise<Judgement> {
  return retry(
    t,
    'copyCatchesUp',
    async () => judge(await readings(t, query)),
    ({ violations }) => violations.length === 0,
  );
}

/** Queries that a service may answer from elsewhere than the whole list: one for each region, and a sort. */
const narrowed: readonly ListQuery[] = [
  ...regionCodes.map((region) => ({ region })),
  { sort_field: 'HOURLY_PRICE' },
];

export default computeSection('scoping', (test) => {
  test(
    'two accounts read the same regions',
    { judges: ['compute.scoping.regions-shared'], requests: 6 },
    async (t) => {
      // An account without instances reads them, too.
      const others = t.target.keys.empty === undefined ? ['second'] : ['second', 'empty'];
      for (const as of others) {
        const first = await t.api.regions();
        const other = await t.api.regions({ as });
        if (as === 'empty' && !isSuccess(other)) continue;
        const later = await t.api.regions();
        const [one, two, three] = [first, other, later].map((answer) => regionsOf(t, answer));
        t.judge(
          'compute.scoping.regions-shared',
          sameForBoth({ first: one, other: two, again: three }, 'regions', other, first),
        );
      }
    },
  );

  test(
    'two accounts read the same presets',
    { judges: ['compute.scoping.presets-shared'], requests: 9 },
    async (t) => {
      const judgement = await readUntilRight(t, {}, (all) => {
        if (all[0].ids.length === 0) throw new NotExercised('there are no presets');
        return samePresets(all);
      });
      t.judge('compute.scoping.presets-shared', judgement);
    },
  );

  test(
    'two accounts read the same presets of a region, and in a sort',
    { judges: ['compute.scoping.presets-shared'], requests: 3 * narrowed.length },
    async (t) => {
      for (const query of narrowed) {
        const judgement = await readUntilRight(t, query, samePresets);
        t.judge('compute.scoping.presets-shared', judgement);
        if (judgement.violations.length > 0) return;
      }
    },
  );

  test(
    'two accounts read the presets in one order',
    {
      judges: ['compute.presets.default-order-stable'],
      needs: ['keys.second'],
      requests: 12,
    },
    async (t) => {
      for (const query of [{}, ...regionCodes.map((region) => ({ region }))]) {
        const judgement = await readUntilRight(t, query, (all) => inOneOrder(t, ...all));
        t.judge('compute.presets.default-order-stable', judgement);
        if (judgement.violations.length > 0) return;
      }
    },
  );
});
