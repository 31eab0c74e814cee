import { sameForBoth } from '../../harness/checks/compute/foreign.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { jsonBody } from '../../harness/exchange/body.ts';
import { canonicalJson, canonicalSets } from '../../harness/exchange/canonical-json.ts';
import { type Judgement, vacuous } from '../../harness/checks/judgement.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { again } from '../../harness/session/again.ts';
import { CATCHING_UP_MS } from '../../harness/session/compute/lag.ts';
import { readPresetList } from '../../harness/session/compute/listing.ts';
import { type ComputeContext, computeSection } from '../../harness/session/compute/session.ts';
import { readRegionCodes } from '../../harness/target/bindings.ts';
import { Inconclusive, NotExercised } from '../../harness/suite/signals.ts';
import { computeNeeds } from '../../schemas/needs.ts';

/** The codes where the target file says how to read them, otherwise the whole body. A set is written in any order. */
function regionsOf({ bindings }: ComputeContext, answer: Exchange): string {
  const body = jsonBody(answer);
  if (!isSuccess(answer) || !body.ok) throw new Inconclusive('the regions cannot be read');
  const path = bindings.regions?.codes;
  const codes = path === undefined ? undefined : readRegionCodes(body.value, path);
  return canonicalSets(codes?.ok === true ? codes.value : body.value);
}

/** Reads the presets as one account, as the other, and as the first again. */
async function samePresets(t: ComputeContext): Promise<Judgement> {
  const read = async (as: string) => readPresetList(t.api, t.bindings, {}, { as });
  const [first, other, later] = [
    await read('primary'),
    await read('second'),
    await read('primary'),
  ];
  if (![first, other, later].every(({ readable }) => readable)) {
    throw new Inconclusive('the presets cannot be read');
  }
  if (first.ids.length === 0) throw new NotExercised('there are no presets');
  const exchanges = [...other.exchanges, ...first.exchanges];
  const whole = ({ records }: typeof first) => records.map((record) => canonicalJson(record));
  const bound = ({ ids }: typeof first) => ids;
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
  return vacuous;
}

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
      if (t.bindings.presets?.items === undefined) {
        const { purpose, line } = computeNeeds['bindings.presets.items'];
        throw new NotExercised(`needs ${purpose}`, line);
      }
      const judgement = await again(
        async () => samePresets(t),
        ({ violations }) => violations.length === 0,
        CATCHING_UP_MS,
        t.signal,
      );
      t.judge('compute.scoping.presets-shared', judgement);
    },
  );
});
