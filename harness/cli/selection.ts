/** The selection of a run: by id, section, profile, case or an earlier result. Checked before any request is sent. */

import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  allRequirements,
  contractNames,
  profilesOf,
  requirementsOf,
} from '../../schemas/contracts.ts';
import type { Deviation } from '../../schemas/deviations.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';
import { deviationOf } from '../../reports/model/verdict.ts';
import { valuesTried } from '../runner/case.ts';
import { plannedSelection, type RunPlan } from '../runner/selection.ts';
import { meant } from '../target/known-keys.ts';
import { refuse } from './exit.ts';
import { loadSections, namedCases, readReport } from './files.ts';

type Selection = Pick<RunPlan, 'only' | 'section' | 'profile' | 'cases'>;

/** Completes the options of a run with defaults. Throws `CommandFailure` for a selection that matches nothing. */
export function planOf({
  seed = randomInt(0x7fffffff),
  depth = 'standard',
  runs = valuesTried[depth],
  only = [],
  section,
  profile,
}: Partial<Pick<RunPlan, 'seed' | 'depth' | 'runs' | 'only' | 'section' | 'profile'>>) {
  requireKnownSelection({ only, section, profile });
  return { runId: randomUUID().slice(0, 8), seed, depth, runs, only, section, profile };
}

/** Throws `CommandFailure` for a selection that matches nothing. It would exercise nothing and look like a success. */
export function requireKnownSelection(options: Selection): void {
  const ids = allRequirements.map(({ id }) => id);
  const beginnings = allRequirements.map(({ contract, section }) => `${contract}.${section}`);
  const suggested = [...new Set([...ids, ...beginnings])];
  for (const prefix of options.only) {
    if (ids.some((id) => id.startsWith(prefix))) continue;
    refuse(
      `--only ${prefix}: no requirement has this id or prefix. ${meant(prefix, suggested, 'plumbline requirements lists them.')}`,
    );
  }
  const sections = [...new Set(allRequirements.map(({ section }) => section))];
  if (options.section !== undefined && !sections.includes(options.section)) {
    refuse(
      `--section ${options.section}: there is no such section. ${meant(options.section, sections, sectionsText())}`,
    );
  }
  if (options.profile !== undefined) requireKnownProfile('--profile', options.profile);
}

/** Throws `CommandFailure` for an unknown case, which would select nothing. */
export async function requireKnownCases(cases: readonly string[] = []): Promise<void> {
  if (cases.length === 0) return;
  const names = namedCases(await loadSections()).map(({ name }) => name);
  for (const name of cases) {
    if (names.includes(name)) continue;
    const titled = names.filter((one) => one.endsWith(` › ${name}`));
    const hint = titled.length > 0 ? `Did you mean ${titled.join(' or ')}?` : undefined;
    refuse(
      `--case ${name}: there is no such case. ${hint ?? meant(name, names, 'A report names the cases of each requirement, and so does plumbline requirements ID.')}`,
    );
  }
}

/** Returns `compute has …; router has ….` */
function eachHas(namesOf: (contract: Contract) => readonly string[]): string {
  const all = contractNames.map((contract) => `${contract} has ${namesOf(contract).join(', ')}`);
  return `${all.join('; ')}.`;
}

/** The sections of each contract. */
export function sectionsText(): string {
  return eachHas((contract) => [
    ...new Set(requirementsOf(contract).map(({ section }) => section)),
  ]);
}

function requireKnownProfile(option: string, profile: string): void {
  const names = [...new Set(contractNames.flatMap(profileNames))];
  if (names.includes(profile)) return;
  refuse(
    `${option} ${profile}: there is no such profile. ${meant(profile, names, eachHas(profileNames))}`,
  );
}

/** Throws `CommandFailure` if a required profile does not belong to a contract of the run. */
export function requireJudgedProfiles(
  required: readonly string[],
  contracts: readonly Contract[],
): void {
  for (const profile of required) {
    requireKnownProfile('--require-profile', profile);
    if (contracts.some((contract) => profileNames(contract).includes(profile))) continue;
    refuse(`--require-profile ${profile}: no target of this run is of a contract that has it.`);
  }
}

/** Throws `CommandFailure` if a target of the run does not have the profile. */
export function requireProfile(
  profile: string | undefined,
  targets: readonly Pick<Target, 'name' | 'contract'>[],
): void {
  if (profile === undefined) return;
  const without = targets.find(({ contract }) => !profileNames(contract).includes(profile));
  if (without === undefined) return;
  refuse(
    `--profile ${profile}: ${without.name} is a ${without.contract} target, which has ${profileNames(without.contract).join(', ')}. Run it alone, with one of these.`,
  );
}

/** Contracts with selected requirements. The built-in references of the others need not start. */
export function contractsWith(selection: Selection): readonly Contract[] {
  return contractNames.filter(
    (contract) => plannedSelection(contract, selection).requirements.size > 0,
  );
}

/** Throws `CommandFailure` for a target without any selected requirement, since its run would look like a success. */
export function requireSelected(selection: Selection, targets: readonly Target[]): void {
  const wanted = contractsWith(selection);
  const idle = targets.find(({ contract }) => !wanted.includes(contract));
  if (idle === undefined) return;
  refuse(
    `${selectionText(selection).join(' ')} selects nothing of the ${idle.contract} contract, which ${idle.name} is to keep.`,
  );
}

/** The selection as command-line options. Empty for a whole run. */
export function selectionText(options: Selection): readonly string[] {
  return [
    ...options.only.map((prefix) => `--only ${prefix}`),
    ...(options.section === undefined ? [] : [`--section ${options.section}`]),
    ...(options.profile === undefined ? [] : [`--profile ${options.profile}`]),
    ...(options.cases ?? []).map((name) => `--case ${name}`),
  ];
}

function profileNames(contract: Contract): readonly string[] {
  return profilesOf(contract).map(({ name }) => name);
}

/** Throws `CommandFailure` if two targets have the same name, since results are identified by it. */
export function requireDistinctNames(targets: readonly Target[]): void {
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  refuse(
    `Two targets are named "${twice}". Give each a name of its own with "name:" in its target file.`,
  );
}

/** True for a universal requirement without cases of its own. Any case may show it. */
export function isShownByAny(id: string): boolean {
  return allRequirements.some(
    (one) => one.id === id && one.universal === true && one.hasCases !== true,
  );
}

/** Why the selection of one requirement runs every case. Undefined if it does not. */
export function shownByAny({ only, section, cases = [] }: Selection): string | undefined {
  const universal = only.find(isShownByAny);
  if (universal === undefined || section !== undefined || cases.length > 0) return undefined;
  return `${universal} is judged on every exchange, and so every case runs: --case NAME runs the one that showed it.`;
}

/** Selects what the last result shows as broken or erred, or everything if that is nothing. Throws `CommandFailure`. */
export function lastFailed(out: string): { only?: readonly string[]; case?: readonly string[] } {
  const file = path.join(out, 'conformance.json');
  if (!existsSync(file)) {
    refuse(`--last-failed: there is no result at ${file}. Run once without it, or name its --out.`);
  }
  const broken = readReport(file).report.requirements.filter(({ verdict }) =>
    ['failed', 'warned', 'error'].includes(verdict),
  );
  const only = [...new Set(broken.map(({ id }) => id))];
  if (only.length === 0) {
    process.stderr.write(`${file} says that nothing is broken: this is a whole run.\n`);
    return {};
  }
  if (!only.some(isShownByAny)) return { only };
  // Limits the cases, since a universal requirement would otherwise run the whole suite.
  const cases = broken.flatMap((one) => [...one.cases, ...one.findings.map((found) => found.case)]);
  return { only, case: [...new Set(cases)] };
}

/** Whether a case found a selected, undeclared violation that makes a run exit with 1 (implied: only with `strict`). */
export function breaksContract(
  { target, findings }: Pick<CaseOutcome, 'target' | 'findings'>,
  {
    strict,
    deviations,
    ...selected
  }: {
    readonly strict: boolean;
    readonly deviations: readonly Deviation[];
  } & Parameters<typeof plannedSelection>[1],
): boolean {
  const asked = new Set(
    contractNames.flatMap((contract) => [...plannedSelection(contract, selected).requirements]),
  );
  const counts = new Set(
    allRequirements
      .filter(({ strength }) => strength === 'stated' || (strict && strength === 'implied'))
      .filter(({ id }) => asked.has(id))
      .map(({ id }) => id),
  );
  return findings.some(
    ({ requirement }) =>
      counts.has(requirement) && deviationOf(deviations, requirement, target) === undefined,
  );
}
