/** Groups broken requirements that fail for the same reason, and inconclusive ones with what explains them. */

import { allRequirements } from '../../schemas/contracts.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ConformanceReport, Finding, RequirementResult } from '../../schemas/report.ts';
import { type ExchangesById, exchangesById, requestSize, resultsOf } from './evidence.ts';
import { byText, sum, distinct } from './text.ts';
import { standings } from './verdict.ts';

/** Broken requirements with a common cause. */
export interface Cause {
  /** The requirement that describes the problem best. Once it is fixed, the others most likely hold too. */
  readonly root: RequirementResult;
  /** The requirements that fail with it, stated ones first. Often empty. */
  readonly others: readonly RequirementResult[];
}

/** Every broken requirement of a target is in exactly one cause. The cause with most requirements comes first. */
export function causesOf(report: ConformanceReport, target: string): readonly Cause[] {
  const known = causesOfReports.get(report) ?? new Map<string, readonly Cause[]>();
  causesOfReports.set(report, known);
  const causes = known.get(target) ?? foundCauses(report, target);
  known.set(target, causes);
  return causes;
}

/** Cached, since every format of the report asks for the causes. */
const causesOfReports = new WeakMap<ConformanceReport, Map<string, readonly Cause[]>>();

function foundCauses(report: ConformanceReport, target: string): readonly Cause[] {
  const broken = resultsOf(report, target).filter(({ verdict }) => standings[verdict] === 'broken');
  const exchanges = exchangesById(report.exchanges);
  const met = signsByResult(broken, exchanges);
  return joined(broken, (result) => signsOf(result, exchanges), kinship(met))
    .map((members) => causeOf(members, exchanges, met))
    .toSorted(
      (left, right) =>
        stated(right) - stated(left) ||
        right.others.length - left.others.length ||
        right.root.violations - left.root.violations ||
        byText(left.root.id, right.root.id),
    );
}

/** For each broken requirement that fails with another one, the id of that one. */
export function rootsOf(report: ConformanceReport): ReadonlyMap<RequirementResult, string> {
  return new Map(
    report.targets
      .flatMap(({ name }) => causesOf(report, name))
      .flatMap(({ root, others }) => others.map((other) => [other, root.id])),
  );
}

/** True if a stated requirement fails for this cause. */
export function isStated(cause: Cause): boolean {
  return stated(cause) > 0;
}

function stated({ root, others }: Cause): number {
  return [root, ...others].filter(({ verdict }) => verdict === 'failed').length;
}

/** Requirements that are judged on every exchange. Their violations do not depend on what a case tried. */
const universal: ReadonlySet<string> = new Set(
  allRequirements.flatMap((one) => (one.universal === true ? [one.id] : [])),
);

function causeOf(members: readonly RequirementResult[], exchanges: ExchangesById, met: Met): Cause {
  const rank = (result: RequirementResult) => {
    const isRoot = universal.has(result.id) && met.get(result)?.size === 0;
    return [
      isRoot ? 0 : 1,
      universal.has(result.id) ? 1 : 0,
      // The most frequent violation causes the others, even an implied one: an expired key and every refusal of it.
      isRoot ? -result.violations : 0,
      result.verdict === 'failed' ? 0 : 1,
      requestSize(exchanges.get(result.findings[0]?.exchange ?? '')),
      -result.violations,
    ];
  };
  const [root, ...rest] = members.toSorted((left, right) => {
    const [one, two] = [rank(left), rank(right)];
    const at = one.findIndex((value, index) => value !== two[index]);
    return at < 0 ? byText(left.id, right.id) : (one[at] ?? 0) - (two[at] ?? 0);
  });
  if (root === undefined) throw new TypeError('a cause without a requirement');
  return {
    root,
    others: rest.toSorted(
      (left, right) => byText(left.verdict, right.verdict) || byText(left.id, right.id),
    ),
  };
}

/** The exchanges that show each broken requirement, by case. For universal requirements see `signsByResult`. */
type Met = ReadonlyMap<RequirementResult, ReadonlySet<string>>;

/**
 * A universal requirement shares exchanges with others by chance, so those do not count. Exception: a success in place
 * of a refusal has a meaningless body, so what else it breaks follows from that.
 */
function signsByResult(broken: readonly RequirementResult[], exchanges: ExchangesById): Met {
  const isServed = ({ expected, actual }: Finding) =>
    /^[45]\d\d/u.test(expected) && /^2\d\d/u.test(actual);
  const served = new Set(
    broken.flatMap(({ findings }) => findings.filter(isServed).map(({ exchange }) => exchange)),
  );
  return new Map(
    broken.map((result) => {
      const findings = result.findings.filter(({ exchange }) => exchanges.has(exchange ?? ''));
      const below = findings.filter((one) => served.has(one.exchange));
      const follows = universal.has(result.id) && 2 * below.length >= findings.length;
      const own = universal.has(result.id) ? [] : findings;
      return [
        result,
        new Set([
          ...own.map((one) => `${one.case} ${one.exchange}`),
          ...(follows || own.some(isServed) ? below.map((one) => `served ${one.exchange}`) : []),
        ]),
      ];
    }),
  );
}

/** Two requirements are kin if at least half of the exchanges that show the rarer one also show the other. */
function kinship(met: Met): (one: RequirementResult, other: RequirementResult) => boolean {
  return (one, other) => {
    const [few, many] = [met.get(one) ?? NOTHING, met.get(other) ?? NOTHING].toSorted(
      (left, right) => left.size - right.size,
    );
    const shared = [...(few ?? NOTHING)].filter((each) => many?.has(each)).length;
    return shared > 0 && 2 * shared >= (few?.size ?? 0);
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Groups items that share a mark or are kin, directly or through others. */
function joined<T>(
  items: readonly T[],
  marksOf: (item: T) => Iterable<string>,
  areKin: (one: T, other: T) => boolean = () => false,
): readonly T[][] {
  let groups: { members: T[]; signs: Set<string> }[] = [];
  for (const item of items) {
    const signs = new Set(marksOf(item));
    const known = groups.filter(
      (group) =>
        [...signs].some((sign) => group.signs.has(sign)) ||
        group.members.some((member) => areKin(member, item)),
    );
    groups = [
      ...groups.filter((group) => !known.includes(group)),
      {
        members: [...known.flatMap(({ members }) => members), item],
        signs: new Set([...signs, ...known.flatMap((group) => [...group.signs])]),
      },
    ];
  }
  return groups.map(({ members }) => members);
}

/** The signs of a broken requirement, which others of its cause share: those in half of its findings, or the first's. */
function signsOf(result: RequirementResult, exchanges: ExchangesById): Iterable<string> {
  const all = result.findings
    .slice(0, COMPARED_FINDINGS)
    .map((finding) => new Set(signsOfFinding(finding, exchanges)));
  const often = [...new Set(all.flatMap((signs) => [...signs]))].filter(
    (sign) => 2 * all.filter((signs) => signs.has(sign)).length >= all.length,
  );
  return often.length > 0 ? often : (all[0] ?? []);
}

const COMPARED_FINDINGS = 8;
/** Maximum compared characters, since a server controls the length of the texts. */
const COMPARED_TEXT = 300;

function* signsOfFinding(finding: Finding, exchanges: ExchangesById): Generator<string> {
  const [message = '', expected = '', actual = ''] = [
    finding.message,
    finding.expected,
    finding.actual,
  ].map((text) => text.slice(0, COMPARED_TEXT));
  const exchange = exchanges.get(finding.exchange ?? '');
  yield `alike ${wordingOf(message)} ${kindOf(expected)}`;
  for (const member of wrongMembers({ message, expected, actual }, exchange))
    yield `member ${member}`;
  const [word] = /^[A-Z][A-Z_]+(?= |$)/u.exec(actual) ?? [];
  if (word !== undefined && !expected.includes(word)) yield `word ${word}`;
  // An operation that succeeds where it should refuse, or the other way round.
  if (exchange !== undefined && /^\d{3}/u.test(expected) && /^\d{3}/u.test(actual)) {
    yield `${exchange.operation} ${actual.slice(0, 3)} for ${expected}`;
  }
}

/** The expected value without numbers and items. A single word is kept, since it tells causes apart. */
function kindOf(expected: string): string {
  if (/^[[{]/u.test(expected)) return '·';
  return expected.includes(' ') ? expected.replaceAll(/[[{(:].*|\S*\d\S*/gsu, '·') : expected;
}

/** A message without its values, and without what is in brackets. */
function wordingOf(message: string): string {
  return message.replaceAll(/\{.*\}|\(.*?\)|"[^"]*"|\S*[_\d]\S*/gsu, '·');
}

const TOLD_APART = new Set(['message', 'request_id']);

/** Members of an error (`code=GONE`) that the finding shows but did not expect; those that its message names, if any. */
function wrongMembers(
  { message, expected, actual }: Pick<Finding, 'message' | 'expected' | 'actual'>,
  exchange: ReportedExchange | undefined,
): readonly string[] {
  const members = Object.entries(errorIn(exchange)).filter(
    ([name, value]) =>
      !TOLD_APART.has(name) &&
      typeof value === 'string' &&
      value !== '' &&
      actual.includes(value) &&
      !expected.includes(value),
  );
  const named = members.filter(([name]) => message.includes(`\`${name}\``));
  return (named.length > 0 ? named : members).map(([name, value]) => `${name}=${String(value)}`);
}

function errorIn(exchange: ReportedExchange | undefined): object {
  try {
    const body: unknown = JSON.parse(exchange?.response?.body.text ?? '');
    if (typeof body !== 'object' || body === null || !('error' in body)) return {};
    return typeof body.error === 'object' && body.error !== null ? body.error : {};
  } catch {
    return {};
  }
}

/** Number of requirements that the causes break. */
export function brokenCount(causes: readonly Cause[]): number {
  return sum(causes, ({ others }) => 1 + others.length);
}

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
