/** Which cases run, in which order, and running them: the one runner of Vitest's tests, the library and the proof. */

import { setMaxListeners } from 'node:events';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { type Depth, type Section, type SuiteCase, fixturesOf, requestsOf } from './case.ts';
import { type CaseRunOptions, runCase, type SuiteSession } from './run-case.ts';

/** One case, with the section that it stands in. */
export interface CaseOfSection {
  readonly section: Pick<Section<never>, 'contract' | 'name'>;
  readonly one: SuiteCase<unknown>;
}

/**
 * The cases of a contract that are wanted, in the order in which they start: of a phase, the most valuable first. Those that
 * share a fixture come as they are written, since one may leave little for the next.
 */
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

/** The phase of the cases that share a fixture. */
const SHARING = 3;

/** What one requirement counts for that is not stated, where a stated one counts for 1. */
const NOT_STATED = 0.1;

/**
 * Requests that a case takes of the budget. One that sends none of its own judges what another case brings about, and
 * would have to do so itself where that one does not run: it comes after all others.
 */
function costOf(one: SuiteCase<unknown>, depth: Depth | undefined): number {
  return requestsOf(one, depth) || Infinity;
}

/**
 * The cases in the order of what they decide for each request that they send: wherever a run is cut, it has decided about as
 * much as it could. What a case before it decides counts for none that comes later.
 */
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

/**
 * The contract ties a section to the session that it runs against: a compute section never meets a router session. A
 * runner that handles both forgets the context that a case asks for, here and nowhere else.
 */
function ofAnySession(one: SuiteCase<never>): SuiteCase<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { ...one, run: one.run as (context: unknown) => Promise<void> };
}

/**
 * Starts every case, and returns what each of them will tell. Where the budget does not cover all, the most valuable cases
 * that it covers have it, and the others what those leave, one after the other.
 */
export function startCases(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  options: CaseRunOptions,
): ReadonlyMap<SuiteCase<unknown>, Promise<CaseOutcome>> {
  // Every case that waits listens to it: many at once are no leak.
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

/** The cases that the requests left in the budget are about enough for, the most valuable first. */
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

/** Those of the cases that the target file lets run. */
function exercised(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
): readonly CaseOfSection[] {
  return cases.filter(({ one }) => session.missing(one.judges, one.needs ?? []).length === 0);
}

/** Waits until the target is ready for those of the cases that its file lets run. */
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
 * When a case starts, counted from 0. First those that wait beside others: what they wait for overlaps with everything
 * after; of these, those last that begin once the others are quiet. Then those that wait alone, while nothing else is
 * under way that they would have to wait for. Then those that share a fixture, since they come one after the other; then
 * all others.
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
