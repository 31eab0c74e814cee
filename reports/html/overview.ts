/** The beginning of a page: conclusion and counts, deviations, traffic of others, what was silent, when cases ran. */

import { type Content, markup, type Markup, nothing, table, targetAnchor } from './document.ts';
import type {
  ConformanceReport,
  Counts,
  ObservedTraffic,
  TargetResult,
} from '../../schemas/report.ts';
import {
  conclude,
  deviationLines,
  laterTriesText,
  missingShardsText,
} from '../model/conclusions.ts';
import { duration, plural, visibleLine } from '../model/text.ts';
import { countsSentence, retriesText, verdictSentence } from '../model/wording.ts';

export interface BarPart {
  readonly name: string;
  readonly count: number;
  /** Class that colours it. */
  readonly tone: string;
}

const WIDTH = 1_000;
const HEIGHT = 18;

/** A stacked bar over all of `parts`, with a label for screen readers. */
export function bar(label: string, parts: readonly BarPart[]): Markup {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const told = parts.filter(({ count }) => count > 0);
  let x = 0;
  const pieces = told.map(({ name, count, tone }) => {
    const width = total === 0 ? 0 : (count / total) * WIDTH;
    const piece = markup`<rect
      class="fill-${tone}"
      x="${x.toFixed(1)}"
      y="0"
      width="${width.toFixed(1)}"
      height="${HEIGHT}"
      ><title>${count} ${name}</title></rect
    >`;
    x += width;
    return piece;
  });
  return markup`<svg
      class="bar"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      ${pieces}
    </svg>
    <ul class="legend">
      ${told.map(({ name, count, tone }) => markup`<li><span class="dot back-${tone}"></span><b>${count}</b> ${name}</li>`)}
    </ul>`;
}

/** `broken` is the index of what is broken, which stands before the counts. */
export function overview(
  report: ConformanceReport,
  broken: (target: TargetResult) => Markup,
): Markup {
  return markup`${report.targets.map((target) => targetOverview(report, target, broken(target)))}${runFacts(report)}`;
}

function targetOverview(report: ConformanceReport, target: TargetResult, broken: Markup): Markup {
  const { stated, implied, open, notSelected } = target.summary;
  const missing = missingShardsText(report);
  const late = laterTriesText(report, target);
  return markup`<section
    class="verdict ${conclude(report, target)}"
    aria-labelledby="${targetAnchor(report, target.name, 'verdict')}"
  >
    <h1 id="${targetAnchor(report, target.name, 'verdict')}">${verdictSentence(report, target)}</h1>
    <p class="lead">${countsSentence(stated, 'stated')}.</p>
    ${broken}
    ${missing === undefined ? nothing : markup`<p class="note">${missing}.</p>`}
    ${countBar('Stated', stated, [])}
    ${countBar('Implied', implied, [{ name: 'broken', count: implied.warned, tone: 'warned' }])}
    <h2 class="small">
      Open
      <span class="faint"
        >${open.observed} of ${plural(open.total, 'point')} observed, none judged</span
      >
    </h2>
    ${bar('Open points', [
      { name: 'observed', count: open.observed, tone: 'observed' },
      { name: 'suite errors', count: open.error, tone: 'error' },
      { name: 'inconclusive', count: open.inconclusive, tone: 'inconclusive' },
      { name: 'not exercised', count: open.notExercised, tone: 'missing' },
    ])}
    ${notSelected > 0 ? markup`<p class="note">${plural(notSelected, 'requirement')} of the contract ${notSelected === 1 ? 'was' : 'were'} left out of this run and ${notSelected === 1 ? 'is' : 'are'} in none of these counts.</p>` : nothing}
    ${target.brokenBeyondSelection.map(({ id, violations }) => markup`<p class="note">${id} was not asked for, but was seen broken too (${plural(violations, 'violation')}).</p>`)}
    ${late === undefined ? nothing : markup`<p class="note">${late}.</p>`}
    ${profiles(target)}
    <dl class="facts">
      ${fact('Target', target.name)}${fact('Contract', target.contract)}${fact('Address', target.baseUrl)}${fact('Requests', target.requests.toLocaleString('en'))}${target.retries === 0 ? nothing : fact('Retried', retriesText(target.retries))}
    </dl>
  </section>`;
}

function countBar(name: string, counts: Counts, more: readonly BarPart[]): Markup {
  const sentence = countsSentence(
    { ...counts, failed: counts.failed + (more[0]?.count ?? 0) },
    name.toLowerCase(),
  );
  return markup`<h2 class="small">
      ${name} <span class="faint">${counts.passed} of ${counts.total} held</span>
    </h2>
    ${bar(sentence, [
      { name: 'held', count: counts.passed, tone: 'passed' },
      { name: 'broken', count: counts.failed, tone: 'failed' },
      ...more,
      { name: 'suite errors', count: counts.error, tone: 'error' },
      { name: 'inconclusive', count: counts.inconclusive, tone: 'inconclusive' },
      { name: 'waived', count: counts.waived, tone: 'waived' },
      { name: 'not exercised', count: counts.notExercised, tone: 'missing' },
    ])}`;
}

function profiles({ profiles: levels }: TargetResult): Markup {
  if (levels === undefined || levels.length === 0) return nothing;
  return markup`<ul class="profiles">
    ${levels.map(({ name, met, held, total }) => markup`<li class="${met ? 'met' : 'unmet'}">${met ? '✓' : '✗'} ${name} <span class="faint">${held} of ${total}${met ? '' : ', not met'}</span></li>`)}
  </ul>`;
}

function runFacts(report: ConformanceReport): Markup {
  const { run, tool } = report;
  return markup`<dl class="facts run">
    ${fact('Tool', `${tool.name} ${tool.version}`)}${fact('Started', run.startedAt.replace('T', ' ').replace(/(?:\.\d+)?Z$/u, ' UTC'))}${fact('Took', duration(run.durationMs))}${fact('Seed', run.seed)}${fact('Run', run.id)}${fact('Catalogue', tool.catalogueDigest.slice(0, 12))}${run.selection.length > 0 ? fact('Restricted to', run.selection.join(', ')) : nothing}${run.shard === null ? nothing : fact('Shard', `${run.shard.index} of ${run.shard.of}`)}${(run.parts?.some(({ partial }) => partial) ?? run.partial) ? fact('Ended', 'before every case was done') : nothing}
  </dl>`;
}

function fact(name: string, value: Content): Markup {
  return markup`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

export function hasDeviations(report: ConformanceReport, target: TargetResult): boolean {
  return deviationLines(report, target.name).length > 0;
}

/** A list; where it is tracked is a link, which opens nothing by itself. */
export function deviationsSection(report: ConformanceReport, target: TargetResult): Markup {
  return markup`<ul>
    ${deviationLines(report, target.name).map(
      ({ result, deviation, text }) =>
        markup`<li><span class="badge ${result.verdict}">${deviation.state}</span> <code>${result.id}</code>: ${text} ${linkTo(deviation.link)}</li>`,
    )}
  </ul>`;
}

/** The form of a report allows any text here; only an address of the web becomes a link. */
function linkTo(link: string | undefined): Markup {
  if (link === undefined) return nothing;
  if (!/^https?:\/\//u.test(link)) return markup`<span class="faint">${link}</span>`;
  return markup`<a href="${link}" rel="noreferrer noopener">${link}</a>`;
}

const SHOWN_CLIENTS = 50;
const SHOWN_NAME = 120;

export function observedSection(observed: ObservedTraffic): Markup {
  const from = observed.source === 'proxy' ? 'passed through the proxy' : 'stood in the recordings';
  return markup`<p>
      These requests were made by others: ${plural(observed.judged, 'exchange')} that ${from} were
      judged, and what nobody asked for was not seen.
    </p>
    ${notJudgedTable(observed.notJudged)} ${clientsTable(observed.clients)}`;
}

/** Counts by reason; nothing when all was judged. */
export function notJudgedTable(notJudged: ObservedTraffic['notJudged']): Markup {
  if (notJudged.length === 0) return nothing;
  return table(
    ['Not judged, or not in full', 'Count'],
    notJudged.map(({ reason, count }) => [reason, String(count)]),
  );
}

/** How often each client was asked to wait, and did; nothing when none was. */
export function clientsTable(clients: ObservedTraffic['clients']): Markup {
  if (clients.length === 0) return nothing;
  return markup`<p>
      Clients that were asked to wait. This says something of them, and nothing of the deployment.
    </p>
    ${table(
      ['Client', 'Asked', 'Waited', 'Came too soon'],
      clients
        .slice(0, SHOWN_CLIENTS)
        .map((one) => [
          visibleLine(one.client, SHOWN_NAME),
          String(one.askedToWait),
          String(one.waited),
          String(one.hurried),
        ]),
    )}`;
}

const SHOWN_NOTES = 8;
const SHOWN_REASON = 400;

export function silentSection(report: ConformanceReport, target: TargetResult): Markup {
  const results = report.requirements.filter(
    ({ target: name, recordings }) => name === target.name && recordings.length > 0,
  );
  if (results.length === 0) return markup`<p>Nothing was recorded in this run.</p>`;
  return markup`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Left open by the contract</th>
          <th scope="col">What was seen</th>
        </tr>
      </thead>
      <tbody>
        ${results.map(
          ({ id, statement, recordings }) =>
            markup`<tr>
              <th scope="row">
                <span class="statement">${statement}</span><br /><code class="faint">${id}</code>
              </th>
              <td>
                <ul class="plain">
                  ${recordings.slice(0, SHOWN_NOTES).map(({ note, count }) => markup`<li>${visibleLine(note, SHOWN_REASON)}${count > 1 ? markup` <span class="faint">× ${count}</span>` : nothing}</li>`)}${recordings.length > SHOWN_NOTES ? markup`<li class="faint">and ${recordings.length - SHOWN_NOTES} more in conformance.json</li>` : nothing}
                </ul>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

interface Piece {
  readonly atMs: number;
  readonly text: string;
}

const TIMELINE_WIDTH = 1_000;
const SHOWN_PIECES = 24;
const SHOWN_TEXT = 160;

/** A line with a mark per piece, and the first pieces in words. `endMs` is when the exchange ended. */
export function timeline(pieces: readonly Piece[], endMs: number): Markup {
  const last = Math.max(endMs, ...pieces.map(({ atMs }) => atMs), 1);
  const x = (ms: number) => (10 + (ms / last) * (TIMELINE_WIDTH - 20)).toFixed(1);
  const rest = pieces.length - SHOWN_PIECES;
  return markup`<p class="label">The stream, ${plural(pieces.length, 'piece')} in ${duration(last)}</p>
    <svg
      class="timeline"
      viewBox="0 0 ${TIMELINE_WIDTH} 34"
      preserveAspectRatio="none"
      role="img"
      aria-label="${plural(pieces.length, 'piece')} over ${duration(last)}"
    >
      <line class="axis" x1="10" x2="${TIMELINE_WIDTH - 10}" y1="20" y2="20" />
      ${pieces.map(({ atMs }) => markup`<line class="mark" x1="${x(atMs)}" x2="${x(atMs)}" y1="8" y2="20" />`)}
      <line class="end" x1="${x(endMs)}" x2="${x(endMs)}" y1="4" y2="30" />
    </svg>
    <ol class="pieces">
      ${pieces.slice(0, SHOWN_PIECES).map(({ atMs, text }) => markup`<li><span class="time">${duration(atMs)}</span> <code>${text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text}</code></li>`)}
    </ol>
    ${rest > 0 ? markup`<p class="faint">and ${rest} more</p>` : nothing}`;
}
