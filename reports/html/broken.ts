/** The broken requirements by cause: an index with one line each, then the requirements with their exchanges. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type {
  ConformanceReport,
  Finding,
  RequirementResult,
  TargetResult,
} from '../../schemas/report.ts';
import { curlCommand, cut, keysText, requestText, responseText } from '../formats/exchange-text.ts';
import { brokenCount, type Cause, causesOf, isStated } from '../model/causes.ts';
import type { ExchangesById } from '../model/evidence.ts';
import { duration, plural, sum, visibleLine } from '../model/text.ts';
import { linkTo, markup, type Markup, nothing, targetAnchor, type Space } from './document.ts';
import { timeline } from './overview.ts';
import { differenceOf, differingPart, type TextPart } from '../model/difference.ts';

const SHOWN = { body: 4_000, header: 1_000 };

/** A closed `<details>` element with the whole exchange. */
export function exchangeFold(exchange: ReportedExchange): Markup {
  const { request, response } = exchange;
  const command = curlCommand(exchange);
  return markup`<details class="exchange">
    <summary>${exchangeTitle(exchange)}</summary>
    <div class="wire">
      <div>
        <p class="label">
          Request${request.credential === undefined ? '' : `, with the key ${request.credential}`}
        </p>
        <pre>${requestText(exchange, SHOWN)}</pre>
      </div>
      <div>
        <p class="label">${answerTitle(exchange)}</p>
        <pre>${responseText(exchange, SHOWN)}</pre>
      </div>
    </div>
    ${response?.timeline && timeline(response.timeline, exchange.durationMs)}
    ${
      command !== undefined &&
      markup`<p class="label">The same with curl</p>
            <pre class="command">${cut(command, SHOWN.body * 2)}</pre>`
    }
  </details>`;
}

/** One line: request, response and duration. */
function exchangeTitle(exchange: ReportedExchange): Markup {
  const { request, response } = exchange;
  const ending = exchange.ending === 'complete' ? '' : `, ${exchange.ending}`;
  return markup`<code>${request.method} ${cut(request.url, 160)}</code> →
    <b>${response?.status ?? 'no answer'}</b>${ending}
    <span class="faint">${duration(exchange.durationMs)}, ${exchange.id}</span>`;
}

function answerTitle(exchange: ReportedExchange): string {
  const parts = ['Response'];
  if (exchange.headMs !== undefined) parts.push(`head after ${duration(exchange.headMs)}`);
  parts.push(`${exchange.ending} after ${duration(exchange.durationMs)}`);
  if (exchange.retries > 0) parts.push(`attempt ${exchange.retries + 1}`);
  if (exchange.cause !== undefined) parts.push(exchange.cause);
  return parts.join(', ');
}

const SHOWN_FINDINGS = 3;
const SHOWN_EXCHANGES = 3;
const SHOWN_TEXT = 2_000;
const SHOWN_SIDE = 700;

/** The section of one target; `exchanges` by id. */
export function brokenSection(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangesById,
  space: Space,
): Markup {
  const causes = causesOf(report, target.name);
  if (causes.length === 0) return markup`<p>None: nothing that was exercised was found broken.</p>`;
  const cardOf = (result: RequirementResult) =>
    space.first(
      () => card(report, result, exchanges),
      () => card(report, result, new Map()),
      () => shortCard(report, result),
    );
  // The roots come first, so they get their share of the page before the others.
  const roots = causes.map(({ root }) => cardOf(root));
  const keys = keysText(report, target.name);
  return markup`${keys !== undefined && markup`<p class="faint">${keys}</p>`}
  ${causes.map(
    ({ others }, at) =>
      markup`${roots[at]}${
        others.length > 0 &&
        markup`<details class="others"><summary>${moreText(others)}</summary>${others.map(cardOf)}</details>`
      }`,
  )}`;
}

function moreText(others: Cause['others']): string {
  return `${plural(others.length, 'more requirement')}, most likely for the same cause`;
}

/** One line per cause, with the requirements that fail for it. Empty if nothing is broken. */
export function causesIndex(report: ConformanceReport, target: TargetResult): Markup {
  const causes = causesOf(report, target.name);
  if (causes.length === 0) return nothing;
  const link = ({ id }: RequirementResult) => linkTo(report, target.name, id);
  return markup`<p class="lead">
      What is broken: ${plural(brokenCount(causes), 'requirement')},
      ${plural(causes.length, 'cause')}. The one on which most depends comes first.
    </p>
    <ol class="causes">
      ${causes.map(
        (cause) => markup`<li data-verdict="${isStated(cause) ? 'failed' : 'warned'}">
          ${link(cause.root)}: ${visibleLine(cause.root.findings[0]?.message ?? cause.root.statement, SHOWN_LINE)}
          ${cause.others.length > 0 && markup`<br /><span class="faint">${moreText(cause.others)}: ${cause.others.slice(0, SHOWN_OTHERS).map((other, at) => [at > 0 && ', ', link(other)])}${cause.others.length > SHOWN_OTHERS ? ` and ${cause.others.length - SHOWN_OTHERS} more` : ''}</span>`}
        </li>`,
      )}
    </ol>`;
}

const SHOWN_LINE = 200;
const SHOWN_OTHERS = 8;

function card(
  report: ConformanceReport,
  result: RequirementResult,
  exchanges: ExchangesById,
): Markup {
  const shown = result.findings.slice(0, SHOWN_FINDINGS);
  const rest = result.violations - sum(shown, ({ count }) => count);
  const [first] = shown;
  return cardWith(
    report,
    result,
    markup`<p class="statement">${result.statement}</p>
    <p class="faint">
      ${result.strength}.
      ${result.where ?? result.clause}${result.judged !== undefined && `. ${result.judged}`}
    </p>
    ${shown.map((finding) => findingBlock(finding, exchanges))}
    ${rest > 0 && markup`<p class="note">${plural(rest, 'more violation')}; the first distinct ones are in conformance.json.</p>`}
    ${
      first !== undefined &&
      markup`<p class="label">See it again</p>
            <pre class="command">${first.replay}</pre>`
    }`,
  );
}

/** The heading contains a link to itself. */
function cardWith(report: ConformanceReport, result: RequirementResult, content: Markup): Markup {
  const { target, id, verdict } = result;
  const anchor = targetAnchor(report, target, id);
  return markup`<article class="broken ${verdict}" data-verdict="${verdict}" id="${anchor}">
    <h3>
      <span class="badge ${verdict}">${verdict}</span> ${id}
      <a class="permalink" href="#${anchor}" aria-label="Link to ${id}">#</a>
    </h3>
    ${content}
  </article>`;
}

function shortCard(report: ConformanceReport, result: RequirementResult): Markup {
  return cardWith(
    report,
    result,
    markup`<p>
      ${visibleLine(result.findings[0]?.message ?? result.statement, SHOWN_LINE)}
      <span class="faint">More in conformance.json.</span>
    </p>`,
  );
}

function findingBlock(finding: Finding, exchanges: ExchangesById): Markup {
  const { counterexample } = finding;
  const { expected, actual } = differingPart(finding, SHOWN_SIDE);
  const difference = differenceOf(expected, actual);
  const cited = finding.exchanges.slice(0, SHOWN_EXCHANGES);
  const shown = cited.flatMap((id) => exchanges.get(id) ?? []);
  return markup`<div class="finding">
    <p class="message">
      ${finding.message.slice(0, SHOWN_TEXT)}${finding.count > 1 && markup` <span class="faint">${finding.count} times</span>`}
    </p>
    <div class="sides">
      <div>
        <p class="label">Expected</p>
        <pre>${marked(difference.expected)}</pre>
      </div>
      <div>
        <p class="label">Actual</p>
        <pre>${marked(difference.actual)}</pre>
      </div>
    </div>
    ${
      counterexample &&
      markup`<p class="label">
              Smallest value that breaks
              it${counterexample.property !== undefined && `, of the property "${counterexample.property}"`}
            </p>
            <pre>${counterexample.value.slice(0, SHOWN_TEXT)}</pre>
`
    }
    ${shown.map(exchangeFold)}
    ${
      shown.length === 0 &&
      cited.length > 0 &&
      markup`<p class="faint">
    Shown by ${cited.join(', ')} in conformance.json.
  </p>`
    }
  </div>`;
}

/** Marks the differing parts, unless the texts have no word in common. */
function marked(parts: readonly TextPart[]): readonly Markup[] {
  const isOther = parts.every(({ text, same }) => !same || !/\w/u.test(text));
  return parts.map(({ text, same }) =>
    same || isOther ? markup`${text}` : markup`<mark>${text}</mark>`,
  );
}
