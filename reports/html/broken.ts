/** What was found broken, by cause: an index of one line each, then the requirements with the exchanges that show them. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type {
  ConformanceReport,
  Finding,
  RequirementResult,
  TargetResult,
} from '../../schemas/report.ts';
import { curlCommand, keysText } from '../formats/exchange-text.ts';
import { brokenCount, type Cause, causesOf, isStated } from '../model/causes.ts';
import { duration, plural, visibleLine } from '../model/text.ts';
import { markup, type Markup, nothing, requirementAnchor, type Space } from './document.ts';
import { timeline } from './overview.ts';
import { differenceOf, differingPart, type TextPart } from '../model/difference.ts';

type Body = ReportedExchange['request']['body'];

const SHOWN_BODY = 4_000;
const SHOWN_HEADER = 1_000;

/** A closed fold that opens on the whole exchange. */
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
        <pre>${requestText(exchange)}</pre>
      </div>
      <div>
        <p class="label">${answerTitle(exchange)}</p>
        <pre>${responseText(exchange)}</pre>
      </div>
    </div>
    ${response?.timeline === undefined ? nothing : timeline(response.timeline, exchange.durationMs)}
    ${
      command === undefined
        ? nothing
        : markup`<p class="label">The same with curl</p>
            <pre class="command">${cut(command, SHOWN_BODY * 2)}</pre>`
    }
  </details>`;
}

function requestText({ request }: ReportedExchange): string {
  const line = `${request.method} ${cut(request.url, SHOWN_HEADER)}`;
  return `${line}\n${headerLines(request.headers)}${bodyText(request.body)}`;
}

function responseText({ response }: ReportedExchange): string {
  if (response === undefined) return 'No status arrived.';
  return `${response.status}\n${headerLines(response.headers)}${bodyText(response.body)}`;
}

/** One line: what was asked, what came, how long it took. */
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

function headerLines(headers: ReportedExchange['request']['headers']): string {
  return headers.map(([name, value]) => `${name}: ${cut(value, SHOWN_HEADER)}\n`).join('');
}

function bodyText(body: Body): string {
  if (body.bytes === 0) return '';
  const text = body.text ?? body.base64 ?? '';
  const kept = cut(text, SHOWN_BODY);
  const notes = [
    ...(body.text === undefined ? ['base64'] : []),
    ...(body.cut === true || kept !== text ? ['the beginning'] : []),
  ];
  const note = notes.length === 0 ? '' : `\n(${body.bytes} bytes; ${notes.join(', ')})`;
  return `\n${kept}${note}`;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

export type ExchangeLookup = ReadonlyMap<string, ReportedExchange>;

const SHOWN_FINDINGS = 3;
const SHOWN_EXCHANGES = 3;
const SHOWN_TEXT = 2_000;
const SHOWN_SIDE = 700;

/** The section of one target; `exchanges` by id. */
export function brokenSection(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangeLookup,
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
  // What is told first gets the space.
  const roots = causes.map(({ root }) => cardOf(root));
  return markup`${keysNote(report, target)}
  ${causes.map(
    ({ others }, at) =>
      markup`${roots[at]}${
        others.length === 0
          ? nothing
          : markup`<details class="others"><summary>${moreText(others)}</summary>${others.map(cardOf)}</details>`
      }`,
  )}`;
}

function moreText(others: Cause['others']): string {
  return `${plural(others.length, 'more requirement')}, most likely for the same cause`;
}

/** One line for each cause, with the requirements that fail for it; nothing where nothing is broken. */
export function causesIndex(report: ConformanceReport, target: TargetResult): Markup {
  const causes = causesOf(report, target.name);
  if (causes.length === 0) return nothing;
  const link = (result: RequirementResult) =>
    markup`<a href="#${requirementAnchor(report, result.target, result.id)}">${result.id}</a>`;
  return markup`<p class="lead">
      What is broken: ${plural(brokenCount(causes), 'requirement')},
      ${plural(causes.length, 'cause')}. The one on which most depends comes first.
    </p>
    <ol class="causes">
      ${causes.map(
        (cause) => markup`<li data-verdict="${isStated(cause) ? 'failed' : 'warned'}">
          ${link(cause.root)}: ${visibleLine(cause.root.findings[0]?.message ?? cause.root.statement, SHOWN_LINE)}
          ${cause.others.length === 0 ? nothing : markup`<br /><span class="faint">${moreText(cause.others)}: ${cause.others.slice(0, SHOWN_OTHERS).map((other, at) => markup`${at === 0 ? '' : ', '}${link(other)}`)}${cause.others.length > SHOWN_OTHERS ? ` and ${cause.others.length - SHOWN_OTHERS} more` : ''}</span>`}
        </li>`,
      )}
    </ol>`;
}

const SHOWN_LINE = 200;
const SHOWN_OTHERS = 8;

/** Where curl finds the keys. */
function keysNote(report: ConformanceReport, target: TargetResult): Markup {
  const text = keysText(report, target.name);
  return text === undefined ? nothing : markup`<p class="faint">${text}</p>`;
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
    data-verdict="${result.verdict}"
    id="${requirementAnchor(report, result.target, result.id)}"
  >
    ${heading(report, result)}
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
        : markup`<p class="label">See it again</p>
            <pre class="command">${first.replay}</pre>`
    }
  </article>`;
}

/** With a link to itself, to be copied. */
function heading(report: ConformanceReport, { target, id, verdict }: RequirementResult): Markup {
  return markup`<h3>
    <span class="badge ${verdict}">${verdict}</span> ${id}
    <a class="permalink" href="#${requirementAnchor(report, target, id)}" aria-label="Link to ${id}"
      >#</a
    >
  </h3>`;
}

function shortCard(report: ConformanceReport, result: RequirementResult): Markup {
  return markup`<article
    class="broken ${result.verdict}"
    data-verdict="${result.verdict}"
    id="${requirementAnchor(report, result.target, result.id)}"
  >
    ${heading(report, result)}
    <p>
      ${visibleLine(result.findings[0]?.message ?? result.statement, 200)}
      <span class="faint">More in conformance.json.</span>
    </p>
  </article>`;
}

function findingBlock(finding: Finding, exchanges: ExchangeLookup): Markup {
  const { expected, actual } = differingPart(finding, SHOWN_SIDE);
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
        <p class="label">Expected</p>
        <pre>${marked(difference.expected)}</pre>
      </div>
      <div>
        <p class="label">Actual</p>
        <pre>${marked(difference.actual)}</pre>
      </div>
    </div>
    ${
      finding.counterexample === undefined
        ? nothing
        : markup`<p class="label">
              Smallest value that breaks
              it${finding.counterexample.property === undefined ? '' : `, of the property "${finding.counterexample.property}"`}
            </p>
            <pre>${finding.counterexample.value.slice(0, SHOWN_TEXT)}</pre>
`
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

/** Nothing is marked where nothing is the same: the whole of it is what differs. */
function marked(parts: readonly TextPart[]): readonly Markup[] {
  const isOther = parts.every(({ text, same }) => !same || !/\w/u.test(text));
  return parts.map(({ text, same }) =>
    same || isOther ? markup`${text}` : markup`<mark>${text}</mark>`,
  );
}
