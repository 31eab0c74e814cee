/** Our own mistakes in a run: they are nobody's verdict, and must not pass in silence. */

import type { CaseOutcome } from '../schemas/outcome.ts';
import type { Trouble } from '../schemas/report.ts';

/** What cases threw, and outcomes that speak of what the run does not know. */
export function troublesOf(
  outcomes: readonly CaseOutcome[],
  known: { readonly requirements: ReadonlySet<string>; readonly targets: ReadonlySet<string> },
): readonly Trouble[] {
  return outcomes.flatMap((outcome) => {
    const at = { target: outcome.target, case: outcome.case };
    const unknown = [...namedRequirements(outcome)].filter((id) => !known.requirements.has(id));
    return [
      ...outcome.errors.map(({ message, stack }) => ({
        ...at,
        message,
        ...(stack === undefined ? {} : { stack }),
      })),
      ...unknown.map((id) => ({ ...at, message: `${id} is not in the catalogue` })),
      ...(known.targets.has(outcome.target)
        ? []
        : [{ ...at, message: `${outcome.target} is not a target of this run` }]),
    ];
  });
}

function namedRequirements(outcome: CaseOutcome): ReadonlySet<string> {
  return new Set([
    ...outcome.judges,
    ...Object.keys(outcome.seen),
    ...outcome.findings.map(({ requirement }) => requirement),
    ...outcome.gaps.map(({ requirement }) => requirement),
    ...outcome.recordings.map(({ requirement }) => requirement),
  ]);
}
