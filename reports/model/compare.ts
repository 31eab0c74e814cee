/** What changed between two results, and why. */

import type { ConformanceReport, TargetResult, Verdict } from '../../schemas/report.ts';
import { type Cause, causeOf, type Side } from './compare-cause.ts';
import { resultsById } from './evidence.ts';
import { byKey, byText } from './text.ts';
import { type Standing, standings } from './verdict.ts';

/**
 * - `broke`: broken now, but not before.
 * - `healed`: broken or waived before, and held now.
 * - `waived`: a declared deviation now.
 * - `appeared`: held now, and not judged before.
 * - `went`: judged before, and not now.
 */
export const changeKinds = ['broke', 'healed', 'waived', 'appeared', 'went'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Change {
  /** Name of the target in the later result. */
  readonly target: string;
  readonly id: string;
  readonly statement: string;
  readonly kind: ChangeKind;
  /** Verdict before; `absent` if the result does not have the requirement. */
  readonly before: Verdict | 'absent';
  /** Verdict in each later result. */
  readonly after: readonly (Verdict | 'absent')[];
  readonly cause: Cause;
  /** The difference that explains the change. */
  readonly because: string;
  /** The first finding, if it broke. */
  readonly found?: string;
  readonly replay?: string;
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Requirements on which the later results disagree, changed or not. */
  readonly unstable: readonly { readonly target: string; readonly id: string }[];
  /** Targets of one side only. */
  readonly unmatched: readonly string[];
  /** Differences between the two runs as a whole. */
  readonly differences: readonly string[];
  /** Number of requirements that both sides judged with the same outcome. */
  readonly unchanged: number;
}

/** The same requirement on both sides. */
interface Pairing {
  readonly before: Side;
  /** One for each later result, never empty. */
  readonly after: readonly Side[];
}

/** Compares a result with a later one, or with several later ones of the same deployment. */
export function compareReports(
  before: ConformanceReport,
  after: readonly ConformanceReport[],
): Comparison {
  const [latest] = after;
  if (latest === undefined) throw new RangeError('nothing to compare with');
  const { pairs, unmatched } = targetPairs(before, latest);
  const pairings = pairs.flatMap(([one, two]) => pairingsOf(before, one, after, two));
  return {
    changes: pairings
      .flatMap(changeOf)
      .toSorted(byKey(({ kind, target, id }) => `${changeKinds.indexOf(kind)} ${target}\n${id}`)),
    unstable: pairings
      .filter(({ after: sides }) => unlike(sides))
      .map(({ after: [side], before: { result } }) => ({
        target: side?.target.name ?? '',
        id: result?.id ?? side?.result?.id ?? '',
      })),
    unmatched,
    differences: differencesOf(before, latest, pairs),
    unchanged: pairings.filter(
      ({ before: one, after: all }) =>
        standingOf(one) !== 'unjudged' && all.every((side) => standingOf(side) === standingOf(one)),
    ).length,
  };
}

/** 1 if a stated requirement broke (`strict`: or an implied one), 5 with `failOnLost` if a passed one is lost. */
export function comparisonExitCode(
  { changes }: Comparison,
  { strict, failOnLost = false }: { readonly strict: boolean; readonly failOnLost?: boolean },
): 0 | 1 | 5 {
  const gates = (verdict: string): boolean =>
    verdict === 'failed' || (strict && verdict === 'warned');
  if (changes.some(({ kind, after }) => kind === 'broke' && after.some(gates))) return 1;
  return failOnLost && changes.some(({ kind, before }) => kind === 'went' && before === 'passed')
    ? 5
    : 0;
}

type TargetPair = readonly [before: TargetResult, after: TargetResult];

/** Pairs targets by name. A renamed target is paired if it is the only one of its contract left over on both sides. */
function targetPairs(
  before: ConformanceReport,
  after: ConformanceReport,
): { readonly pairs: readonly TargetPair[]; readonly unmatched: readonly string[] } {
  const named = before.targets.flatMap((one) =>
    after.targets
      .filter(({ name, contract }) => name === one.name && contract === one.contract)
      .map((two) => [one, two] as const),
  );
  const leftBefore = before.targets.filter((one) => !named.some(([pair]) => pair === one));
  const leftAfter = after.targets.filter((two) => !named.some(([, pair]) => pair === two));
  const renamed = leftBefore.flatMap((one) => {
    const alone = leftBefore.filter(({ contract }) => contract === one.contract).length === 1;
    const [two, ...more] = leftAfter.filter(({ contract }) => contract === one.contract);
    return alone && two !== undefined && more.length === 0 ? [[one, two] as const] : [];
  });
  const paired = new Set(renamed.flat());
  return {
    pairs: [...named, ...renamed],
    unmatched: [
      ...leftBefore.filter((one) => !paired.has(one)).map(({ name }) => `${name} is only before`),
      ...leftAfter.filter((two) => !paired.has(two)).map(({ name }) => `${name} is only after`),
    ],
  };
}

function pairingsOf(
  before: ConformanceReport,
  one: TargetResult,
  after: readonly ConformanceReport[],
  two: TargetResult,
): readonly Pairing[] {
  const first = resultsById(before, one);
  const later = after.map((report) => {
    const target = report.targets.find(({ name }) => name === two.name) ?? two;
    return { report, target, results: resultsById(report, target) };
  });
  const ids = new Set([...first.keys(), ...later.flatMap(({ results }) => [...results.keys()])]);
  return [...ids].toSorted(byText).map((id) => ({
    before: { report: before, target: one, result: first.get(id) },
    after: later
      .map(({ report, target, results }) => ({ report, target, result: results.get(id) }))
      // A repeated run of some requirements does not count for the others.
      .filter(
        ({ report, result }, at) =>
          at === 0 || result !== undefined || report.run.selection.length === 0,
      ),
  }));
}

function standingOf({ result }: Side): Standing {
  return result === undefined ? 'unjudged' : standings[result.verdict];
}

/** The worst of several later results counts: what broke once is broken. */
const worstFirst: readonly Standing[] = ['broken', 'waived', 'held', 'unjudged'];

function changeOf(pairing: Pairing): readonly Change[] {
  const { before, after } = pairing;
  const standing = worstFirst.find((each) => after.some((side) => standingOf(side) === each));
  const kind = kindOf(before, standing ?? 'unjudged', after);
  const decisive = after.find((side) => standingOf(side) === standing);
  const known = decisive?.result ?? before.result;
  if (kind === undefined || known === undefined || decisive === undefined) return [];
  const finding = kind === 'broke' ? decisive.result?.findings[0] : undefined;
  return [
    {
      target: decisive.target.name,
      id: known.id,
      statement: known.statement,
      kind,
      before: before.result?.verdict ?? 'absent',
      after: after.map(({ result }) => result?.verdict ?? 'absent'),
      ...causeOf(before, decisive, unlike(after)),
      ...(finding === undefined ? {} : { found: finding.message, replay: finding.replay }),
    },
  ];
}

function unlike(after: readonly Side[]): boolean {
  return new Set(after.map(standingOf)).size > 1;
}

function kindOf(before: Side, now: Standing, after: readonly Side[]): ChangeKind | undefined {
  const was = standingOf(before);
  // It was implied before and is stated now, so only now it fails the run.
  const fails = ({ result }: Side): boolean => result?.verdict === 'failed';
  if (now === 'broken' && was === 'broken') {
    return after.some(fails) && !fails(before) ? 'broke' : undefined;
  }
  if (now === was) return undefined;
  if (now === 'broken') return 'broke';
  if (now === 'waived') return 'waived';
  if (now === 'held') return was === 'unjudged' ? 'appeared' : 'healed';
  return 'went';
}

function differencesOf(
  before: ConformanceReport,
  after: ConformanceReport,
  pairs: readonly TargetPair[],
): readonly string[] {
  const between = (what: string, one: string, two: string): readonly string[] =>
    one === two ? [] : [`${what}: ${one} before, ${two} after`];
  return [
    ...pairs.flatMap(([one, two]) => [
      ...between('name of the target', one.name, two.name),
      ...between(`address of ${two.name}`, one.baseUrl, two.baseUrl),
    ]),
    ...between('plumbline', before.tool.version, after.tool.version),
    ...between(
      'catalogue',
      before.tool.catalogueDigest.slice(0, 12),
      after.tool.catalogueDigest.slice(0, 12),
    ),
    ...between('seed', String(before.run.seed), String(after.run.seed)),
    ...between('restriction', restriction(before), restriction(after)),
  ];
}

function restriction({ run }: ConformanceReport): string {
  const words = [...run.selection, ...(run.partial ? ['unfinished'] : [])];
  if (run.shard !== null) words.push(`shard ${run.shard.index}/${run.shard.of}`);
  return words.length === 0 ? 'none' : words.join(' ');
}
