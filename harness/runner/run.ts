/** Orders and runs cases, for Vitest's tests, the library and the proof. */

import { setMaxListeners } from 'node:events';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { type Depth, type Section, type SuiteCase, fixturesOf, requestsOf } from './case.ts';
import { type CaseRunOptions, runCase, type SuiteSession } from './run-case.ts';

/** One case and its section. */
export interface CaseOfSection {
  readonly section: Pick<Section<never>, 'contract' | 'name'>;
  readonly one: SuiteCase<unknown>;
}

/** The wanted cases in starting order: by phase, then by value; cases that share a fixture keep their written order. */
export function casesOf(
  sections: readonly Section<never>[],
  contract: Contract,
  isWanted: (one: SuiteCase<never>, section: Section<never>) => boolean = () => true,
): readonly CaseOfSection[] {
  const wanted = sections
    .filter((section) => section.contract === contract)
    .flatMap((section) =>
      section.cases
        .filter((one) => isWanted(one, section))
        .map((one) => ({ section, one: ofAnySession(one) })),
    );
  const place = new Map(wanted.map(({ one }, at) => [one, at]));
  const written = ({ one }: CaseOfSection): number =>
    phaseOf(one) === SHARING ? (place.get(one) ?? 0) : 0;
  return byValue(wanted, contract).toSorted(
    (one, other) => phaseOf(one.one) - phaseOf(other.one) || written(one) - written(other),
  );
}

/** The phase of cases that share a fixture. */
const SHARING = 3;

/** Value of a requirement that is not stated; a stated one has the value 1. */
const NOT_STATED = 0.1;

/** Cost of a case in requests. One that sends none judges what another brings about, so it comes after all others. */
function costOf(one: SuiteCase<unknown>, depth: Depth | undefined): number {
  return requestsOf(one, depth) || Infinity;
}

/** Sorts cases by the value they decide per request. What an earlier case decides adds no value to later ones. */
function byValue(
  cases: readonly CaseOfSection[],
  contract: Contract,
  depth?: Depth,
): readonly CaseOfSection[] {
  const worth = new Map(
    requirementsOf(contract).map(({ id, strength }) => [
      id,
      strength === 'stated' ? 1 : NOT_STATED,
    ]),
  );
  const valueOf = ({ one }: CaseOfSection): number =>
    one.judges.reduce((sum, id) => sum + (worth.get(id) ?? 0), 0) / costOf(one, depth);
  const ordered: CaseOfSection[] = [];
  const left = new Set(cases);
  while (left.size > 0) {
    const { one: best } = [...left]
      .map((one) => ({ one, value: valueOf(one) }))
      .reduce((one, other) => (other.value > one.value ? other : one));
    left.delete(best);
    ordered.push(best);
    for (const id of best.one.judges) worth.delete(id);
  }
  return ordered;
}

/** Drops the context type of a case, only here: a section always runs against a session of its own contract. */
function ofAnySession(one: SuiteCase<never>): SuiteCase<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { ...one, run: one.run as (context: unknown) => Promise<void> };
}

/**
 * Starts every case and returns their pending outcomes. If the budget does not cover all cases, the most valuable
 * that it covers start first, and the others follow one at a time with what is left.
 */
export function startCases(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  options: CaseRunOptions,
): ReadonlyMap<SuiteCase<unknown>, Promise<CaseOutcome>> {
  // Every waiting case listens to the signal, so many listeners are no leak.
  setMaxListeners(0, options.signal);
  const { depth } = options;
  const covered = coveredBy(cases, session, depth);
  const started = new Map<SuiteCase<unknown>, Promise<CaseOutcome>>();
  for (const { section, one } of cases.filter((each) => covered.has(each.one))) {
    started.set(one, runCase(section, one, session, options));
  }
  let turn: Promise<unknown> = Promise.allSettled(started.values());
  const others = cases.filter(({ one }) => !covered.has(one));
  // The cheapest first: a case that uses the budget up decides nothing.
  for (const { section, one } of others.toSorted(
    (a, b) => costOf(a.one, depth) - costOf(b.one, depth),
  )) {
    const outcome = turn.then(async () => runCase(section, one, session, options));
    started.set(one, outcome);
    turn = outcome.catch(() => undefined);
  }
  return started;
}

/** The cases that the rest of the budget roughly covers, the most valuable first. */
function coveredBy(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  depth: Depth | undefined,
): ReadonlySet<SuiteCase<unknown>> {
  const covered = new Set(cases.map(({ one }) => one));
  const sending = exercised(cases, session);
  let left = session.requestsLeft?.() ?? Infinity;
  const [first] = sending;
  const usually = sending.reduce((sum, { one }) => sum + requestsOf(one, depth), 0);
  if (first === undefined || usually <= left) return covered;
  for (const { one } of byValue(sending, first.section.contract, depth)) {
    const usual = costOf(one, depth);
    if (usual > left) covered.delete(one);
    else left -= usual;
  }
  return covered;
}

/** The cases that the target file lets run. */
function exercised(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
): readonly CaseOfSection[] {
  return cases.filter(({ one }) => session.missing(one.judges, one.needs ?? []).length === 0);
}

/** Waits until the target is ready for those of the cases that the target file lets run. */
export async function whenReady(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
): Promise<void> {
  await session.ready?.(exercised(cases, session).map(({ one }) => one));
}

/** Runs every case to its end. */
export async function runCases(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  options: CaseRunOptions & { readonly onOutcome?: (outcome: CaseOutcome) => void },
): Promise<readonly CaseOutcome[]> {
  await whenReady(cases, session);
  const outcomes = [...startCases(cases, session, options).values()].map(async (ended) => {
    const outcome = await ended;
    options.onOutcome?.(outcome);
    return outcome;
  });
  return Promise.all(outcomes);
}

/**
 * The phase in which a case starts, from 0. Cases that wait beside others come first, so that their waits overlap
 * with everything after them; those with `whenIdle` come last among them. Then come cases that wait alone, while
 * little else is under way. Then come cases that share a fixture, since they run one after the other, and then all
 * others.
 */
export function phaseOf(
  one: Pick<SuiteCase<never>, 'waitsLong' | 'whenIdle' | 'isolation'>,
): number {
  if (one.waitsLong === true) {
    if (one.isolation === 'target') return 2;
    return one.whenIdle === true ? 1 : 0;
  }
  return fixturesOf(one).length > 0 ? SHARING : 4;
}
