/** `plumbline plan`: shows what a run would exercise, send, change and leave out. */

import type { Command } from 'commander';
import { loadSections } from '../files.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { requirementsOf } from '../../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../../schemas/requirement.ts';
import type { Target } from '../../../schemas/target.ts';
import { contractOf } from '../../contracts/index.ts';
import { isLoopback } from '../../exchange/exchange.ts';
import { type Depth, type Section, type SuiteCase, requestsOf } from '../../runner/case.ts';
import { type MissingNeed, missingNeeds, oneBlock } from '../../target/offers.ts';
import { duration, plural, sum } from '../../../reports/model/text.ts';
import { waitLines } from '../../runner/waits.ts';

/** Adds the options and the action of `plumbline plan`. */
export function register(command: Command): void {
  command
    .argument('<TARGET...>', 'target files')
    .option('--json', 'print the plan as JSON', false)
    .action(async (files: readonly string[], { json }: { readonly json: boolean }) => {
      const sections = await loadSections();
      const targets = await Promise.all(files.map(async (file) => loadTarget(file)));
      const plans = targets.map(({ target }) => forecast(target, sections));
      process.stdout.write(
        json ? `${JSON.stringify(plans, null, 2)}\n` : plans.map(forecastText).join('\n'),
      );
    });
}

/** Milliseconds per request among concurrent ones, including its judging. */
const LATENCY_MS = { elsewhere: 80, loopback: 14 } as const;
/** Seconds that a run only waits: for exclusive use of the target, or for cases that wait longer than everything else. */
const WAITING_SECONDS = { alone: 12, beside: 3 } as const;
const depths: readonly Depth[] = ['quick', 'standard', 'thorough'];

/** The requests and the duration of a run at one depth. */
interface DepthForecast {
  readonly depth: Depth;
  readonly requests: number;
  readonly seconds: number;
}

/** What one line of `consent` adds to a run that has all other needs. */
interface ConsentForecast {
  readonly line: string;
  readonly given: boolean;
  /** Requirements that are exercised only with it. */
  readonly requirements: number;
  /** Requests of the cases that need it, at the default depth. */
  readonly requests: number;
}

export interface RunForecast {
  readonly target: string;
  readonly contract: Contract;
  readonly exercised: readonly Requirement[];
  /** Requirements that cannot be exercised, by missing line. A requirement may appear more than once. */
  readonly missing: readonly {
    readonly need: MissingNeed;
    readonly requirements: readonly Requirement[];
  }[];
  /** Universal requirements, judged whenever an exchange shows them. */
  readonly whenSeen: readonly Requirement[];
  /** At the default depth. */
  readonly requests: number;
  readonly seconds: number;
  readonly depths: readonly DepthForecast[];
  readonly consents: readonly ConsentForecast[];
  /** Requests that the target file allows. */
  readonly budget: number;
  readonly cases: number;
  /** Titles of the cases that mostly wait. */
  readonly waits: readonly string[];
  /** One sentence for each thing that the run changes or destroys. */
  readonly changes: readonly string[];
}

/** Forecasts a run of all sections of the target's contract. */
export function forecast(target: Target, sections: readonly Section<never>[]): RunForecast {
  const requirements = requirementsOf(target.contract);
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const cases = sections
    .filter((section) => section.contract === target.contract)
    .flatMap((section) => section.cases);
  const needsOf = (one: SuiteCase<never>): readonly string[] => [
    ...(one.needs ?? []),
    ...one.judges.flatMap((id) => byId.get(id)?.needs ?? []),
  ];
  const missingOf = (one: SuiteCase<never>): readonly MissingNeed[] =>
    missingIn(target, needsOf(one));
  const running = cases.filter((one) => missingOf(one).length === 0);
  const exercised = new Set(running.flatMap((one) => one.judges));
  const missing = new Map<string, { need: MissingNeed; requirements: Requirement[] }>();
  for (const requirement of requirements) {
    if (exercised.has(requirement.id)) continue;
    const own = cases.filter((one) => one.judges.includes(requirement.id));
    // The case with the fewest missing needs. With these lines, the requirement is exercised.
    const [least = []] = own.map(missingOf).toSorted((one, other) => one.length - other.length);
    for (const need of least) {
      const group = missing.get(need.need) ?? { need, requirements: [] };
      group.requirements.push(requirement);
      missing.set(need.need, group);
    }
  }
  const planned = depths.map((depth) => depthForecast(target, running, depth));
  const { requests = 0, seconds = 0 } = planned.find(({ depth }) => depth === 'standard') ?? {};
  return {
    target: target.name,
    contract: target.contract,
    exercised: requirements.filter(({ id }) => exercised.has(id)),
    missing: [...missing.values()].toSorted(
      (one, other) => other.requirements.length - one.requirements.length,
    ),
    whenSeen: requirements.filter(({ id, universal }) => universal === true && !exercised.has(id)),
    requests,
    seconds,
    depths: planned,
    consents: consentForecasts(target, cases, needsOf),
    budget: target.budget.requests,
    cases: running.length,
    waits: running.filter(({ waitsLong }) => waitsLong === true).map(({ title }) => title),
    changes: contractOf(target.contract).changes(
      target,
      (need) => running.filter((one) => needsOf(one).includes(need)).length,
    ),
  };
}

/** Needs that the target file does not meet (apart from `given`), or for which its pace is too slow. */
function missingIn(
  target: Target,
  needs: readonly string[],
  given?: string,
): readonly MissingNeed[] {
  const asked = needs.filter((need) => need !== given);
  const slow = contractOf(target.contract).tooSlow?.(target, needs) ?? [];
  return [...missingNeeds(target, asked), ...slow];
}

type Cases = readonly SuiteCase<never>[];

function depthForecast(target: Target, running: Cases, depth: Depth): DepthForecast {
  const requests = sum(running, (one) => requestsOf(one, depth));
  const { concurrency, requestsPerSecond } = target.budget;
  const sent = Math.min(requests, target.budget.requests);
  const latency = LATENCY_MS[isLoopback(new URL(target.baseUrl)) ? 'loopback' : 'elsewhere'];
  const byPace = Number.isFinite(requestsPerSecond) ? sent / requestsPerSecond : 0;
  const byLatency = (sent * latency) / 1_000 / concurrency;
  const waiting = running.filter(({ waitsLong }) => waitsLong === true);
  const waitsAlone = waiting.some(({ isolation }) => isolation === 'target');
  const waited = waiting.length === 0 ? 0 : WAITING_SECONDS[waitsAlone ? 'alone' : 'beside'];
  // With a slow pace, the waiting overlaps with the requests.
  const working = Math.max(byPace, byLatency + waited);
  return { depth, requests, seconds: Math.max(1, Math.round(working)) };
}

/** What each line of `consent` that cases need adds, whether it is given or not. */
function consentForecasts(
  target: Target,
  cases: Cases,
  needsOf: (one: SuiteCase<never>) => readonly string[],
): readonly ConsentForecast[] {
  const lines = [...new Set(cases.flatMap(needsOf))].filter((need) => need.startsWith('consent.'));
  return lines.toSorted().flatMap((line) => {
    const possible = cases.filter((one) => missingIn(target, needsOf(one), line).length === 0);
    const using = possible.filter((one) => needsOf(one).includes(line));
    const others = possible.filter((one) => !using.includes(one));
    const without = new Set(others.flatMap(({ judges }) => judges));
    const gained = using.flatMap(({ judges }) => judges.filter((id) => !without.has(id)));
    const requirements = new Set(gained).size;
    const requests = sum(using, (one) => requestsOf(one));
    const given = missingNeeds(target, [line]).length === 0;
    return requirements === 0 ? [] : [{ line, given, requirements, requests }];
  });
}

/** The forecast as text. */
export function forecastText(plan: RunForecast): string {
  const stated = (list: readonly Requirement[]): number =>
    list.filter(({ strength }) => strength === 'stated').length;
  return [
    `${plan.target}: ${plan.cases} cases, ${plan.exercised.length} requirements exercised (${stated(plan.exercised)} stated), ${plan.whenSeen.length} more judged whenever an exchange shows them.`,
    ...plan.depths.map(
      ({ depth, requests, seconds }) =>
        `  --depth ${depth.padEnd(8)}  about ${requests} requests, ${duration(seconds * 1_000)}`,
    ),
    ...plan.consents.map(
      ({ line, given, requirements, requests }) =>
        `  ${line}: true ${given ? 'gives' : 'would add'} ${plural(requirements, 'requirement')} and about ${plural(requests, 'request')}`,
    ),
    ...(plan.waits.length === 0
      ? []
      : [`  ${plan.waits.length} of the cases mostly wait, beside the others.`]),
    ...(plan.requests > plan.budget
      ? [
          `budget.requests allows ${plan.budget}: the cases that decide most for each request come first.`,
        ]
      : []),
    '',
    plan.changes.length === 0
      ? 'Read-only: calls that would change an instance use an id that does not exist.'
      : 'What is changed or destroyed:',
    ...plan.changes.map((change) => `  - ${change}`),
    '',
    'How long a run waits, and how often it tries again, unless the machine is slow:',
    ...waitLines(contractOf(plan.contract).waits ?? {}),
    '',
    plan.missing.length === 0
      ? 'Nothing is left out for want of a line in the target file.'
      : 'Not exercised, and what to add to the target file, where a requirement may need several:',
    ...plan.missing.flatMap(({ need, requirements }) => [
      `  ${requirements.length === 1 ? '1 requirement needs' : `${requirements.length} requirements need`} ${need.purpose}:`,
      `      ${need.line}`,
    ]),
    ...(plan.missing.length < 2
      ? []
      : [
          '',
          'As one block; plumbline init finds the bindings by itself:',
          oneBlock(plan.missing.map(({ need }) => need.line)).replaceAll(/^/gmu, '  '),
        ]),
    '',
  ].join('\n');
}
