/** What was found broken, with the exchanges that show it. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type {
  ConformanceReport,
  Finding,
  RequirementResult,
  TargetResult,
} from '../../schemas/report.ts';
import { curlCommand } from '../formats/exchange-text.ts';
import { duration, plural, visibleLine } from '../model/text.ts';
import { markup, type Markup, nothing, requirementAnchor, type Space } from './document.ts';
import { timeline } from './overview.ts';
import { differenceOf, type TextPart } from '../model/difference.ts';

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
        <h5>
          Request${request.credential === undefined ? '' : `, with the key ${request.credential}`}
        </h5>
        <pre tabindex="0">${requestText(exchange)}</pre>
      </div>
      <div>
        <h5>${answerTitle(exchange)}</h5>
        <pre tabindex="0">${responseText(exchange)}</pre>
      </div>
    </div>
    ${response?.timeline === undefined ? nothing : timeline(response.timeline, exchange.durationMs)}
    ${
      command === undefined
        ? nothing
        : markup`<h5>The same with curl</h5>
            <pre class="command" tabindex="0">${cut(command, SHOWN_BODY * 2)}</pre>`
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
