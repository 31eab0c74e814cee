/** Parts of the page: conclusion and counts, deviations, clients, observations of open requirements, streams. */

import {
  type Content,
  heads,
  markup,
  type Markup,
  nothing,
  scrolling,
  table,
  targetAnchor,
} from './document.ts';
import type {
  ConformanceReport,
  Counts,
  ObservedTraffic,
  TargetResult,
} from '../../schemas/report.ts';
import {
  conclude,
  type DeviationLine,
  laterTriesText,
  missingShardsText,
} from '../model/conclusions.ts';
import { cut } from '../formats/exchange-text.ts';
import { duration, plural, sum, utc, visibleLine } from '../model/text.ts';
import { resultsOf } from '../model/evidence.ts';
import { troubleOf } from '../model/lost.ts';
import { countsSentence, retriesText, verdictSentence } from '../model/wording.ts';

/** A part of a bar. The tone is the suffix of its CSS class. */
export type BarPart = readonly [name: string, count: number, tone: string];

const WIDTH = 1_000;
const HEIGHT = 18;

/** A stacked bar of all `parts`, with a label for screen readers. */
export function bar(label: string, parts: readonly BarPart[]): Markup {
  const total = sum(parts, ([, count]) => count);
  const shown = parts.filter(([, count]) => count > 0);
  let x = 0;
  const pieces = shown.map(([name, count, tone]) => {
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
      ${shown.map(([name, count, tone]) => markup`<li><span class="dot back-${tone}"></span><b>${count}</b> ${name}</li>`)}
    </ul>`;
}

/** `broken` is the index of broken requirements, shown above the counts. */
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
  const trouble = troubleOf(report, target);
  return markup`<section
    class="verdict ${conclude(report, target)}"
    aria-labelledby="${targetAnchor(report, target.name, 'verdict')}"
  >
    <h1 id="${targetAnchor(report, target.name, 'verdict')}">${verdictSentence(report, target)}</h1>
    <p class="lead">${countsSentence(stated, 'stated')}.</p>
    ${trouble !== undefined && markup`<p class="note">${trouble}.</p>`}
    ${broken}
    ${missing !== undefined && markup`<p class="note">${missing}.</p>`}
    ${countBar('Stated', stated)}
    ${countBar('Implied', implied)}
    <h2 class="small">
      Open
      <span class="faint"
        >${open.observed} of ${plural(open.total, 'point')} observed, none judged</span
      >
    </h2>
    ${bar('Open points', [['observed', open.observed, 'observed'], ...undecided(open)])}
    ${notSelected > 0 && markup`<p class="note">${plural(notSelected, 'requirement')} of the contract ${notSelected === 1 ? 'was' : 'were'} left out of this run and ${notSelected === 1 ? 'is' : 'are'} in none of these counts.</p>`}
    ${target.brokenBeyondSelection.map(({ id, violations }) => markup`<p class="note">${id} was not asked for, but was seen broken too (${plural(violations, 'violation')}).</p>`)}
    ${late !== undefined && markup`<p class="note">${late}.</p>`}
    ${profiles(target)}
    <dl class="facts">
      ${fact('Target', target.name)}${fact('Contract', target.contract)}${fact('Address', target.baseUrl)}${fact('Requests', target.requests.toLocaleString('en'))}${target.retries > 0 && fact('Retried', retriesText(target.retries))}
    </dl>
  </section>`;
}

function countBar(name: string, counts: Counts & { readonly warned?: number }): Markup {
  return markup`<h2 class="small">
      ${name} <span class="faint">${counts.passed} of ${counts.total} held</span>
    </h2>
    ${bar(countsSentence(counts, name.toLowerCase()), [
      ['held', counts.passed, 'passed'],
      ['broken', counts.failed, 'failed'],
      ['broken', counts.warned ?? 0, 'warned'],
      ...undecided(counts),
    ])}`;
}

/** The parts of a bar that are neither held nor broken. */
function undecided({
  error,
  inconclusive,
  waived = 0,
  notExercised,
}: Pick<Counts, 'error' | 'inconclusive' | 'notExercised'> & {
  readonly waived?: number;
}): readonly BarPart[] {
  return [
    ['suite errors', error, 'error'],
    ['inconclusive', inconclusive, 'inconclusive'],
    ['waived', waived, 'waived'],
    ['not exercised', notExercised, 'missing'],
  ];
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
    ${fact('Tool', `${tool.name} ${tool.version}`)}${fact('Started', utc(run.startedAt))}${fact('Took', duration(run.durationMs))}${fact('Seed', run.seed)}${fact('Run', run.id)}${fact('Catalogue', tool.catalogueDigest.slice(0, 12))}${run.selection.length > 0 && fact('Restricted to', run.selection.join(', '))}${run.shard !== null && fact('Shard', `${run.shard.index} of ${run.shard.of}`)}${(run.parts?.some(({ partial }) => partial) ?? run.partial) && fact('Ended', 'before every case was done')}
  </dl>`;
}

function fact(name: string, value: Content): Markup {
  return markup`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** A list of deviations, each with a link to its tracker, if any. */
export function deviationsSection(lines: readonly DeviationLine[]): Markup {
  return markup`<ul>
    ${lines.map(
      ({ result, deviation, text }) =>
        markup`<li><span class="badge ${result.verdict}">${deviation.state}</span> <code>${result.id}</code>: ${text} ${trackedAt(deviation.link)}</li>`,
    )}
  </ul>`;
}

/** The report schema allows any text here. Only a web address becomes a link. */
function trackedAt(link: string | undefined): Markup {
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

/** Counts by reason. Empty if everything was judged. */
export function notJudgedTable(notJudged: ObservedTraffic['notJudged']): Markup {
  if (notJudged.length === 0) return nothing;
  return table(
    ['Not judged, or not in full', 'Count'],
    notJudged.map(({ reason, count }) => [reason, String(count)]),
  );
}

/** How often each client was asked to wait, and did. Empty if none was. */
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
  const results = resultsOf(report, target.name).filter(({ recordings }) => recordings.length > 0);
  if (results.length === 0) return markup`<p>Nothing was recorded in this run.</p>`;
  return scrolling(
    { head: heads(['Left open by the contract', 'What was seen']) },
    results.map(
      ({ id, statement, recordings }) =>
        markup`<tr>
              <th scope="row">
                <span class="statement">${statement}</span><br /><code class="faint">${id}</code>
              </th>
              <td>
                <ul class="plain">
                  ${recordings.slice(0, SHOWN_NOTES).map(({ note, count }) => markup`<li>${visibleLine(note, SHOWN_REASON)}${count > 1 && markup` <span class="faint">× ${count}</span>`}</li>`)}${recordings.length > SHOWN_NOTES && markup`<li class="faint">and ${recordings.length - SHOWN_NOTES} more in conformance.json</li>`}
                </ul>
              </td>
            </tr>`,
    ),
  );
}

interface Piece {
  readonly atMs: number;
  readonly text: string;
}

const TIMELINE_WIDTH = 1_000;
const SHOWN_PIECES = 24;
const SHOWN_TEXT = 160;

/** A line with a mark for each piece, and the first pieces as text. `endMs` is when the exchange ended. */
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
      ${pieces.slice(0, SHOWN_PIECES).map(({ atMs, text }) => markup`<li><span class="time">${duration(atMs)}</span> <code>${cut(text, SHOWN_TEXT)}</code></li>`)}
    </ol>
    ${rest > 0 && markup`<p class="faint">and ${rest} more</p>`}`;
}
