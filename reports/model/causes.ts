/** Causes before symptoms: which broken requirements fail for one reason. */

import { allRequirements } from '../../schemas/contracts.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ConformanceReport, Finding, RequirementResult } from '../../schemas/report.ts';
import { type ExchangesById, exchangesById, requestSize, resultsOf } from './evidence.ts';
import { byText, sum } from './text.ts';
import { standings } from './verdict.ts';

/** Broken requirements with one cause. */
export interface Cause {
  /** The requirement that says what is wrong: mend it, and most likely the others hold too. */
  readonly root: RequirementResult;
  /** The requirements that fail with it, stated ones first; often none. */
  readonly others: readonly RequirementResult[];
}

/** Every broken requirement of a target stands in one cause; the one on which most depends comes first. */
export function causesOf(report: ConformanceReport, target: string): readonly Cause[] {
  const known = causesOfReports.get(report) ?? new Map<string, readonly Cause[]>();
  causesOfReports.set(report, known);
  const causes = known.get(target) ?? foundCauses(report, target);
  known.set(target, causes);
  return causes;
}

/** Each form asks again for what follows from the report alone. */
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

/** For each broken requirement that fails with another one of its target, the id of that one. */
export function rootsOf(report: ConformanceReport): ReadonlyMap<RequirementResult, string> {
  return new Map(
    report.targets
      .flatMap(({ name }) => causesOf(report, name))
      .flatMap(({ root, others }) => others.map((other) => [other, root.id])),
  );
}

/** True when something stated is broken by it. */
export function isStated(cause: Cause): boolean {
  return stated(cause) > 0;
}

function stated({ root, others }: Cause): number {
  return [root, ...others].filter(({ verdict }) => verdict === 'failed').length;
}

/** Judged on every exchange: what such a requirement says is wrong is wrong wherever it shows, whatever was tried. */
export const universal: ReadonlySet<string> = new Set(
  allRequirements.flatMap((one) => (one.universal === true ? [one.id] : [])),
);

function causeOf(members: readonly RequirementResult[], exchanges: ExchangesById, met: Met): Cause {
  const rank = (result: RequirementResult) => {
    const isRoot = universal.has(result.id) && met.get(result)?.size === 0;
    return [
      isRoot ? 0 : 1,
      universal.has(result.id) ? 1 : 0,
      // What is wrong most often brings the others about, also where it is implied: a key that died, and each refusal of it.
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

/** The exchanges that show each broken requirement, by case; of what is judged on every exchange only those below. */
type Met = ReadonlyMap<RequirementResult, ReadonlySet<string>>;

/**
 * What is judged on every exchange meets others on one by chance. But an answer that should have been a refusal holds
 * nothing that means anything: what it breaks besides follows from that.
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

/** Two are kin when one of them shows nearly nowhere but where the other does. */
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

/** Items that share a sign or are kin, directly or through others, stand together. */
export function joined<T>(
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

/** What a broken requirement has in common with others of the same cause: in half of what was found, or in the first. */
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
/** A server may put any length of text into what is found. */
export const COMPARED_TEXT = 300;

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
  // One operation that answers where it should refuse, or the other way round.
  if (exchange !== undefined && /^\d{3}/u.test(expected) && /^\d{3}/u.test(actual)) {
    yield `${exchange.operation} ${actual.slice(0, 3)} for ${expected}`;
  }
}

/** What was expected, without the numbers and items in it; a single word is a value that tells causes apart. */
function kindOf(expected: string): string {
  if (/^[[{]/u.test(expected)) return '·';
  return expected.includes(' ') ? expected.replaceAll(/[[{(:].*|\S*\d\S*/gsu, '·') : expected;
}

/** A message without the values in it, and without what is added in brackets. */
export function wordingOf(message: string): string {
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

/** How many requirements the causes break. */
export function brokenCount(causes: readonly Cause[]): number {
  return sum(causes, ({ others }) => 1 + others.length);
}
