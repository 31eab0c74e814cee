/** Causes before symptoms: which broken requirements fail for one reason, and what kept others from being decided. */

import { allRequirements } from '../../schemas/contracts.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ConformanceReport, Finding, RequirementResult } from '../../schemas/report.ts';
import { exchangesById, requestSize } from './evidence.ts';
import { byText, firstOf, sum } from './text.ts';

/** Broken requirements with one cause. */
export interface Cause {
  /** The requirement that says what is wrong: mend it, and most likely the others hold too. */
  readonly root: RequirementResult;
  /** The requirements that fail with it, stated ones first; often none. */
  readonly others: readonly RequirementResult[];
}

/** Every broken requirement of a target stands in one cause; the one on which most depends comes first. */
export function causesOf(report: ConformanceReport, target: string): readonly Cause[] {
  const known = told.get(report) ?? new Map<string, readonly Cause[]>();
  told.set(report, known);
  const causes = known.get(target) ?? foundCauses(report, target);
  known.set(target, causes);
  return causes;
}

/** Each form asks again for what follows from the report alone. */
const told = new WeakMap<ConformanceReport, Map<string, readonly Cause[]>>();

function foundCauses(report: ConformanceReport, target: string): readonly Cause[] {
  const broken = report.requirements.filter(
    (result) =>
      result.target === target && (result.verdict === 'failed' || result.verdict === 'warned'),
  );
  const exchanges = exchangesById(report.exchanges);
  return joined(broken, (result) => signsOf(result, exchanges))
    .map((members) => causeOf(members, exchanges))
    .toSorted(
      (left, right) =>
        stated(right) - stated(left) ||
        right.others.length - left.others.length ||
        right.root.violations - left.root.violations ||
        byText(left.root.id, right.root.id),
    );
}

/** For each broken requirement that fails with another one of its target, the id of that one. */
export function rootsOf(report: ConformanceReport): ReadonlyMap<RequirementResult, string> {
  return new Map(
    report.targets
      .flatMap(({ name }) => causesOf(report, name))
      .flatMap(({ root, others }) => others.map((other) => [other, root.id])),
  );
}

/** True when something stated is broken by it. */
export function isStated({ root, others }: Cause): boolean {
  return [root, ...others].some(({ verdict }) => verdict === 'failed');
}

function stated({ root, others }: Cause): number {
  return [root, ...others].filter(({ verdict }) => verdict === 'failed').length;
}

type Exchanges = ReadonlyMap<string, ReportedExchange>;

/** Judged on every exchange: what such a requirement says is wrong is wrong wherever it shows, whatever was tried. */
const universal: ReadonlySet<string> = new Set(
  allRequirements.flatMap((one) => (one.universal === true ? [one.id] : [])),
);

function causeOf(members: readonly RequirementResult[], exchanges: Exchanges): Cause {
  const rank = (result: RequirementResult) => [
    universal.has(result.id) ? 0 : 1,
    result.verdict === 'failed' ? 0 : 1,
    universal.has(result.id) ? -result.violations : 0,
    requestSize(exchanges.get(result.findings[0]?.exchange ?? '')),
  ];
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

/** Items that share a sign, directly or through others, stand together. */
function joined<T>(items: readonly T[], tell: (item: T) => Iterable<string>): readonly T[][] {
  let groups: { members: T[]; signs: Set<string> }[] = [];
  for (const item of items) {
    const signs = new Set(tell(item));
    const known = groups.filter((group) => [...signs].some((sign) => group.signs.has(sign)));
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

/** What a broken requirement has in common with others of the same cause: in half of what was found, or in the first. */
function signsOf(result: RequirementResult, exchanges: Exchanges): Iterable<string> {
  const all = result.findings
    .slice(0, COMPARED_FINDINGS)
    .map((finding) => new Set(signsOfFinding(result, finding, exchanges)));
  const often = [...new Set(all.flatMap((signs) => [...signs]))].filter(
    (sign) => 2 * all.filter((signs) => signs.has(sign)).length >= all.length,
  );
  return often.length > 0 ? often : (all[0] ?? []);
}

const COMPARED_FINDINGS = 8;
/** A server may put any length of text into what is found. */
const COMPARED_TEXT = 300;

function* signsOfFinding(
  { id }: RequirementResult,
  finding: Finding,
  exchanges: Exchanges,
): Generator<string> {
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
  // What is judged on every exchange meets others on one by chance.
  if (exchange !== undefined && !universal.has(id)) yield `${finding.case} ${exchange.id}`;
  // One operation that answers where it should refuse, or the other way round.
  if (exchange !== undefined && /^\d{3}/u.test(expected) && /^\d{3}/u.test(actual)) {
    yield `${exchange.operation} ${actual.slice(0, 3)} for ${expected}`;
  }
}

/** What was expected, without the numbers and items in it; a single word is a value that tells causes apart. */
function kindOf(expected: string): string {
  return expected.includes(' ') ? expected.replaceAll(/[[{(:].*|\S*\d\S*/gsu, '·') : expected;
}

/** A message without the values in it, and without what is added in brackets. */
function wordingOf(message: string): string {
  return message.replaceAll(/\{.*\}|\(.*?\)|"[^"]*"|\S*[_\d]\S*/gsu, '·');
}

const TOLD_APART = new Set(['message', 'request_id']);

/** Members of an error, `code=GONE`, that the finding shows and did not expect; those that its message names, if any. */
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

/** Requirements that could not be decided for one reason. */
export interface Doubt {
  /** The reason of the first of them. */
  readonly reason: string;
  readonly results: readonly RequirementResult[];
  /** Broken requirements that the same cases found: likely the reason behind the reason. */
  readonly after: readonly string[];
}

/** The inconclusive requirements of a target by cause, the largest group first. */
export function doubtsOf(report: ConformanceReport, target: string): readonly Doubt[] {
  const doubtful = report.requirements.filter(
    (result) => result.target === target && result.verdict === 'inconclusive',
  );
  const found = new Map<string, Set<string>>();
  for (const { root, others } of causesOf(report, target)) {
    for (const { case: name } of [root, ...others].flatMap(({ findings }) => findings)) {
      found.set(name, (found.get(name) ?? new Set()).add(root.id));
    }
  }
  const hindrances = ({ gaps }: RequirementResult) =>
    gaps.flatMap(({ kind, reason }) => (kind === 'inconclusive' ? [reason] : []));
  return joined(doubtful, (result) =>
    hindrances(result).map((reason) => wordingOf(reason.slice(0, COMPARED_TEXT))),
  )
    .map((results) => ({
      reason: results.flatMap(hindrances)[0] ?? '',
      results,
      after: [
        ...new Set(
          results.flatMap(({ gaps }) =>
            gaps.flatMap((gap) => [...(found.get(gap.case ?? '') ?? [])]),
          ),
        ),
      ].toSorted(byText),
    }))
    .toSorted(
      (left, right) =>
        right.results.length - left.results.length || byText(left.reason, right.reason),
    );
}

/** ` (after ID)`: what was found broken in the same cases; empty without any. */
export function afterText(after: readonly string[]): string {
  return after.length === 0 ? '' : ` (after ${firstOf(after, SHOWN_AFTER)})`;
}

const SHOWN_AFTER = 2;

/** How many requirements the causes break. */
export function brokenCount(causes: readonly Cause[]): number {
  return sum(causes, ({ others }) => 1 + others.length);
}
