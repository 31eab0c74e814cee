/** Folds the outcomes of a run into its report. */

import path from 'node:path';
import { allRequirements, allProfiles } from '../../schemas/contracts.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { fold, type FoldInput } from '../../reports/model/fold.ts';
import { present, replayCommand } from '../../reports/model/text.ts';
import { valuesTried } from '../runner/case.ts';
import { plannedSelection, type RunPlan } from '../runner/selection.ts';
import { offers } from '../target/offers.ts';
import { selectionText } from './selection.ts';
import { toolName, version } from './version.ts';

/** By default there are no troubles and no deviations, and a requirement is judged again by a run. */
export interface FinishedRun extends Partial<
  Pick<FoldInput, 'troubles' | 'deviations' | 'replay'>
> {
  readonly plan: RunPlan;
  readonly startedAt: Date;
  readonly outcomes: FoldInput['outcomes'];
  /** Target files by target name. */
  readonly fileOf?: ReadonlyMap<string, string>;
  /** Percentage of the requirements in reach that must be decided (default 90). */
  readonly decided?: number | undefined;
  /** Profiles that must be met (default none). */
  readonly requiredProfiles?: readonly string[] | undefined;
  /** True if the run ended early (default false). */
  readonly partial?: boolean;
  /** Words that the command of a repetition needs besides the depth (default none). */
  readonly again?: readonly string[] | undefined;
}

/** Gives every selected requirement of each target a verdict. */
export function reportOf(run: FinishedRun): ConformanceReport {
  const { plan, requiredProfiles = [] } = run;
  const { shard, depth = 'standard', runs } = plan;
  const howMuch = [
    ...(depth === 'standard' ? [] : ['--depth', depth]),
    ...(runs === valuesTried[depth] ? [] : ['--runs', String(runs)]),
    ...(run.again ?? []),
  ];
  const selections = new Map(
    plan.targets.map(({ target }) => [target.contract, plannedSelection(target.contract, plan)]),
  );
  return fold({
    tool: { name: toolName, version },
    run: {
      id: plan.runId,
      startedAt: run.startedAt.toISOString(),
      durationMs: Date.now() - run.startedAt.getTime(),
      seed: plan.seed,
      shard: shard === undefined ? null : { index: shard.index, of: shard.count },
      partial: run.partial === true,
      selection: selectionText(plan),
      ...present({ decided: run.decided }),
      ...(requiredProfiles.length === 0 ? {} : { requiredProfiles }),
    },
    targets: plan.targets.map(({ target: { name, contract, baseUrl } }) => {
      return { name, contract, baseUrl, ...present({ file: run.fileOf?.get(name) }) };
    }),
    catalogue: allRequirements,
    profiles: allProfiles,
    deviations: run.deviations ?? [],
    outcomes: run.outcomes,
    offers: (name, need) =>
      plan.targets.some(({ target }) => target.name === name && offers(target, need)),
    replay:
      run.replay ??
      // An absolute path, so that the command works in any folder.
      ((id, { file }, only) =>
        replayCommand(file && path.resolve(file), id, plan.seed, only, howMuch)),
    troubles: run.troubles ?? [],
    selects: ({ id, contract }) => selections.get(contract)?.requirements.has(id) ?? false,
  });
}
