/** Broken requirements: what was asked, what came, and how to see it again. */

import type {
  ConformanceReport,
  ExchangeRecord,
  Finding,
  RequirementResult,
  TargetResult,
} from '../../schemas/report.ts';
import { differenceOf, type TextPart } from '../difference.ts';
import { visibleLine } from '../visible-text.ts';
import { plural } from '../wording.ts';
import { requirementAnchor } from './anchors.ts';
import { exchangeFold } from './exchange.ts';
import { markup, nothing, type Markup } from './markup.ts';
import type { Space } from './space.ts';

export type ExchangeLookup = ReadonlyMap<string, ExchangeRecord>;

const SHOWN_FINDINGS = 3;
const SHOWN_EXCHANGES = 3;
const SHOWN_TEXT = 2_000;

/** The section of one target; `exchanges` by id. */
export function brokenSection(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangeLookup,
  space: Space,
): Markup {
  const results = report.requirements.filter(
    ({ target: name, verdict }) =>
      name === target.name && (verdict === 'failed' || verdict === 'warned'),
  );
  if (results.length === 0)
    return markup`<p>None: nothing that was exercised was found broken.</p>`;
  const inOrder = [
    ...results.filter(({ verdict }) => verdict === 'failed'),
    ...results.filter(({ verdict }) => verdict === 'warned'),
  ];
  return markup`${inOrder.map((result) =>
    space.first(
      () => card(report, result, exchanges),
      () => card(report, result, new Map()),
      () => shortCard(report, result),
    ),
  )}`;
}

function card(
  report: ConformanceReport,
  result: RequirementResult,
  exchanges: ExchangeLookup,
): Markup {
  const rest =
    result.violations -
    result.findings.slice(0, SHOWN_FINDINGS).reduce((sum, { count }) => sum + count, 0);
  const [first] = result.findings;
  return markup`<article
    class="broken ${result.verdict}"
    id="${requirementAnchor(report, result.target, result.id)}"
  >
    <h3><span class="badge ${result.verdict}">${result.verdict}</span> ${result.id}</h3>
    <p class="statement">${result.statement}</p>
    <p class="faint">
      ${result.strength}.
      ${result.where ?? result.clause}${result.judged === undefined ? '' : `. ${result.judged}`}
    </p>
    ${result.findings.slice(0, SHOWN_FINDINGS).map((finding) => findingBlock(finding, exchanges))}
    ${rest > 0 ? markup`<p class="note">${plural(rest, 'more violation')}; the first distinct ones are in conformance.json.</p>` : nothing}
    ${
      first === undefined
        ? nothing
        : markup`<h4>See it again</h4>
            <pre class="command" tabindex="0">${first.replay}</pre>`
    }
  </article>`;
}

function shortCard(report: ConformanceReport, result: RequirementResult): Markup {
  return markup`<article
    class="broken ${result.verdict}"
    id="${requirementAnchor(report, result.target, result.id)}"
  >
    <h3><span class="badge ${result.verdict}">${result.verdict}</span> ${result.id}</h3>
    <p>
      ${visibleLine(result.findings[0]?.message ?? result.statement, 200)}
      <span class="faint">More in conformance.json.</span>
    </p>
  </article>`;
}

function findingBlock(finding: Finding, exchanges: ExchangeLookup): Markup {
  const expected = finding.expected.slice(0, SHOWN_TEXT);
  const actual = finding.actual.slice(0, SHOWN_TEXT);
  const difference = differenceOf(expected, actual);
  const shown = finding.exchanges.slice(0, SHOWN_EXCHANGES).flatMap((id) => {
    const exchange = exchanges.get(id);
    return exchange === undefined ? [] : [exchange];
  });
  return markup`<div class="finding">
    <p class="message">
      ${finding.message.slice(0, SHOWN_TEXT)}${finding.count > 1 ? markup` <span class="faint">${finding.count} times</span>` : nothing}
    </p>
    <div class="sides">
      <div>
        <h4>Expected</h4>
        <pre tabindex="0">${marked(difference.expected)}</pre>
      </div>
      <div>
        <h4>Actual</h4>
        <pre tabindex="0">${marked(difference.actual)}</pre>
      </div>
    </div>
    ${
      finding.counterexample === undefined
        ? nothing
        : markup`<h4>Smallest counterexample</h4>
            <pre tabindex="0">${finding.counterexample.value.slice(0, SHOWN_TEXT)}</pre>
            <p class="faint">
              seed ${finding.counterexample.seed}, path ${finding.counterexample.path}
            </p>`
    }
    ${shown.length > 0 ? shown.map(exchangeFold) : exchangeNames(finding)}
  </div>`;
}

function exchangeNames({ exchanges }: Finding): Markup {
  if (exchanges.length === 0) return nothing;
  return markup`<p class="faint">
    Shown by ${exchanges.slice(0, SHOWN_EXCHANGES).join(', ')} in conformance.json.
  </p>`;
}

function marked(parts: readonly TextPart[]): readonly Markup[] {
  return parts.map(({ text, same }) => (same ? markup`${text}` : markup`<mark>${text}</mark>`));
}
