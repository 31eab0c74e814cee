/** `plumbline plan`: what a run would exercise, send, change and leave out. */

import type { Command } from 'commander';
import { loadSections } from '../files.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { requirementsOf } from '../../../schemas/contracts.ts';
import type { Requirement } from '../../../schemas/requirement.ts';
import type { Target } from '../../../schemas/target.ts';
import { contractOf } from '../../contracts/index.ts';
import { type Depth, type Section, type SuiteCase, requestsOf } from '../../runner/case.ts';
import { type MissingNeed, missingNeeds } from '../../target/offers.ts';
import { waitLines } from '../../runner/retry.ts';

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

/** Milliseconds of one request to a deployment elsewhere, answer included. */
const USUAL_LATENCY_MS = 80;

export interface RunForecast {
  readonly target: string;
  readonly exercised: readonly Requirement[];
  /** What cannot be exercised, by each line that is missing for it: a requirement may stand under several. */
  readonly missing: readonly {
    readonly need: MissingNeed;
    readonly requirements: readonly Requirement[];
  }[];
  /** Universal requirements, which are judged when an exchange shows them. */
  readonly whenSeen: readonly Requirement[];
  /** Of a run of the usual depth, and of a quick one. */
  readonly requests: number;
  readonly quickRequests: number;
  /** Requests that the target file allows. */
  readonly budget: number;
  readonly seconds: number;
  readonly cases: number;
  /** Cases that mostly wait, by title. */
  readonly waits: readonly string[];
  /** What will be changed or destroyed, each in a sentence; empty for a run that changes nothing. */
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
  const running = cases.filter((one) => missingNeeds(target, needsOf(one)).length === 0);
  const exercised = new Set(running.flatMap((one) => one.judges));
  const missing = new Map<string, { need: MissingNeed; requirements: Requirement[] }>();
  for (const requirement of requirements) {
    if (exercised.has(requirement.id)) continue;
    const own = cases.filter((one) => one.judges.includes(requirement.id));
    // The case that lacks the least: with its lines the requirement is exercised.
    const [least = []] = own
      .map((one) => missingNeeds(target, needsOf(one)))
      .toSorted((one, other) => one.length - other.length);
    for (const need of least) {
      const group = missing.get(need.need) ?? { need, requirements: [] };
      group.requirements.push(requirement);
      missing.set(need.need, group);
    }
  }
  const requestsAt = (depth: Depth): number =>
    running.reduce((sum, one) => sum + requestsOf(one, depth), 0);
  const requests = requestsAt('standard');
  return {
    target: target.name,
    exercised: requirements.filter(({ id }) => exercised.has(id)),
    missing: [...missing.values()].toSorted(
      (one, other) => other.requirements.length - one.requirements.length,
    ),
    whenSeen: requirements.filter(({ id, universal }) => universal === true && !exercised.has(id)),
    requests,
    quickRequests: requestsAt('quick'),
    budget: target.budget.requests,
    seconds: secondsFor(target, Math.min(requests, target.budget.requests)),
    cases: running.length,
    waits: running.filter(({ waits }) => waits === true).map(({ title }) => title),
    changes: contractOf(target.contract).changes(
      target,
      (need) => running.filter((one) => needsOf(one).includes(need)).length,
    ),
  };
}

function secondsFor(target: Target, requests: number): number {
  const { concurrency, requestsPerSecond } = target.budget;
  const byPace = Number.isFinite(requestsPerSecond) ? requests / requestsPerSecond : 0;
  const byLatency = (requests * USUAL_LATENCY_MS) / 1_000 / concurrency;
  return Math.max(1, Math.round(Math.max(byPace, byLatency)));
}

/** The forecast as text. */
export function forecastText(plan: RunForecast): string {
  const stated = (list: readonly Requirement[]): number =>
    list.filter(({ strength }) => strength === 'stated').length;
  return [
    `${plan.target}: ${plan.cases} cases, ${plan.exercised.length} requirements exercised (${stated(plan.exercised)} stated), ${plan.whenSeen.length} more judged whenever an exchange shows them.`,
    `About ${plan.requests} requests, about ${plan.seconds} s${plan.waits.length === 0 ? '' : `, and ${plan.waits.length} cases that mostly wait beside the others`}. With --depth quick about ${plan.quickRequests} requests.`,
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
    plan.missing.length === 0
      ? 'Nothing is left out for want of a line in the target file.'
      : 'Not exercised, and what to add to the target file, where a requirement may need several:',
    ...plan.missing.flatMap(({ need, requirements }) => [
      `  ${requirements.length === 1 ? '1 requirement needs' : `${requirements.length} requirements need`} ${need.purpose}:`,
      `      ${need.line}`,
    ]),
    '',
    'How long a run waits, and how often it tries again, unless the machine is slow:',
    ...waitLines(),
    '',
  ].join('\n');
}
