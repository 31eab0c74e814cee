/** The first screen: what the run says of each target, in a sentence and in counts. */

import type { ConformanceReport, Counts, TargetResult } from '../../schemas/report.ts';
import { conclude } from '../conformance.ts';
import { laterTriesText } from '../later-tries.ts';
import { missingShardsText } from '../missing-shards.ts';
import { countsSentence, duration, plural, retriesText, verdictSentence } from '../wording.ts';
import { targetAnchor } from './anchors.ts';
import { bar, type BarPart } from './bar.ts';
import { markup, nothing, type Content, type Markup } from './markup.ts';

export function overview(report: ConformanceReport): Markup {
  return markup`${report.targets.map((target) => targetOverview(report, target))}${runFacts(report)}`;
}

function targetOverview(report: ConformanceReport, target: TargetResult): Markup {
  const { stated, implied, open, notSelected } = target.summary;
  const missing = missingShardsText(report);
  const late = laterTriesText(report, target);
  return markup`<section
    class="verdict ${conclude(report, target)}"
    aria-labelledby="${targetAnchor(report, target.name, 'verdict')}"
  >
    <h1 id="${targetAnchor(report, target.name, 'verdict')}">${verdictSentence(report, target)}</h1>
    <p class="lead">${countsSentence(stated, 'stated')}.</p>
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
      { name: 'errors of ours', count: open.error, tone: 'error' },
      { name: 'inconclusive', count: open.inconclusive, tone: 'inconclusive' },
      { name: 'not exercised', count: open.notExercised, tone: 'missing' },
    ])}
    ${notSelected > 0 ? markup`<p class="note">${plural(notSelected, 'requirement')} of the contract ${notSelected === 1 ? 'was' : 'were'} left out of this run and ${notSelected === 1 ? 'is' : 'are'} in none of these counts.</p>` : nothing}
    ${target.brokenBeyondSelection.map(({ id, violations }) => markup`<p class="note">${id} was not asked for, but was seen broken too (${plural(violations, 'violation')}).</p>`)}
    ${late === undefined ? nothing : markup`<p class="note">${late}.</p>`}
    ${profiles(target)}
    <dl class="facts">
      ${fact('Target', target.name)}${fact('Contract', target.contract)}${fact('Address', target.baseUrl)}${fact('Requests', target.requests.toLocaleString('en'))}${target.retries === 0 ? nothing : fact('Tried again', retriesText(target.retries))}
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
      { name: 'errors of ours', count: counts.error, tone: 'error' },
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
