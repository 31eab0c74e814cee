/** Why requirements are inconclusive. */

import type { ConformanceReport, RequirementResult } from '../../schemas/report.ts';
import { causesOf, COMPARED_TEXT, joined, universal, wordingOf } from './causes.ts';
import { resultsOf } from './evidence.ts';
import { byText, distinct, firstOf } from './text.ts';

/** Requirements that are inconclusive for the same reason. */
export interface Doubt {
  /** The reason of the first one. */
  readonly reason: string;
  readonly results: readonly RequirementResult[];
  /** Broken requirements that the same cases found, which probably explain the reason. */
  readonly after: readonly string[];
}

/** The inconclusive requirements of a target by reason, the largest group first. */
export function doubtsOf(report: ConformanceReport, target: string): readonly Doubt[] {
  const doubtful = resultsOf(report, target).filter(({ verdict }) => verdict === 'inconclusive');
  const found = foundByCase(report, target);
  const hindrances = ({ gaps }: RequirementResult) =>
    gaps.flatMap(({ kind, reason }) => (kind === 'inconclusive' ? [reason] : []));
  return joined(doubtful, (result) =>
    hindrances(result).map((reason) => wordingOf(reason.slice(0, COMPARED_TEXT))),
  )
    .map((results) => ({
      reason: results.flatMap(hindrances)[0] ?? '',
      results,
      after: distinct(results.flatMap((result) => brokenBefore(result, found))),
    }))
    .toSorted(
      (left, right) =>
        right.results.length - left.results.length || byText(left.reason, right.reason),
    );
}

/** The roots of broken requirements, by the cases that found them. Universal ones also by their section. */
function foundByCase(
  report: ConformanceReport,
  target: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { root, others } of causesOf(report, target)) {
    const cases = [root, ...others].flatMap(({ findings }) => findings.map((one) => one.case));
    const places = universal.has(root.id) ? [...cases, sectionOf(root)] : cases;
    for (const place of places) found.set(place, (found.get(place) ?? new Set()).add(root.id));
  }
  return found;
}

/** The broken roots that the cases of this requirement found, or else the universal ones of its section. */
function brokenBefore(
  result: RequirementResult,
  found: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const own = result.gaps.flatMap((gap) => [...(found.get(gap.case ?? '') ?? [])]);
  return own.length > 0 ? own : [...(found.get(sectionOf(result)) ?? [])];
}

/** `compute.errors` for `compute.errors.code-known`. */
function sectionOf({ id }: RequirementResult): string {
  return id.split('.').slice(0, 2).join('.');
}

/** ` (after ID)` with what the same cases found broken, or an empty text. */
export function afterText(after: readonly string[]): string {
  return after.length === 0 ? '' : ` (after ${firstOf(after, SHOWN_AFTER)})`;
}

const SHOWN_AFTER = 2;
