/**
 * The report as a self-contained page, which makes no request. Its script filters, copies commands, and opens the
 * folds that a link or a printout needs; the page is whole without it.
 */

import { contractData } from '../../schemas/contracts.ts';
import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { deviationLines, withMissingShards } from '../model/conclusions.ts';
import { type ExchangesById, exchangesById } from '../model/evidence.ts';
import { verdictSentence } from '../model/wording.ts';
import { allRequirements, doubtSection, filterForm, notExercisedSection } from './requirements.ts';
import {
  type Content,
  documentOf,
  markup,
  type Markup,
  Space,
  style,
  targetAnchor,
} from './document.ts';
import { brokenSection, causesIndex } from './broken.ts';
import { coverageSection, latencySection } from './traffic.ts';
import { deviationsSection, observedSection, overview, silentSection } from './overview.ts';
import { statesSection } from './states.ts';

const script = `
const form = document.querySelector('form.filter');
if (form) {
  const search = form.querySelector('input[type=search]');
  const boxes = [...form.querySelectorAll('input[type=checkbox]')];
  const rows = [...document.querySelectorAll('header [data-verdict], main [data-verdict]')];
  const folds = [...document.querySelectorAll('main details.section')];
  const others = [...document.querySelectorAll('main details.others')];
  const none = form.querySelector('.none');
  const told = form.querySelector('output');
  const listed = rows.filter((row) => row.matches('li.requirement')).length;
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const narrowed = words.length > 0 || verdicts.size < boxes.length;
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !verdicts.has(row.dataset.verdict) || !words.every((word) => text.includes(word));
      if (!row.hidden && row.matches('li.requirement')) shown += 1;
    }
    for (const fold of [...folds, ...others]) {
      fold.hidden = !fold.querySelector('[data-verdict]:not([hidden])');
      if (narrowed && !fold.hidden) fold.open = true;
    }
    none.hidden = shown > 0;
    told.textContent = narrowed ? shown + ' of ' + listed + ' shown' : '';
  };
  const setAll = (open) => { for (const fold of [...folds, ...others]) fold.open = open; };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('.unfold').addEventListener('click', () => setAll(true));
  form.querySelector('.fold').addEventListener('click', () => setAll(false));
  form.hidden = false;
}
for (const command of document.querySelectorAll('pre.command')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch {
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  command.after(button);
}
const reveal = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  for (let fold = place.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  place.scrollIntoView();
};
addEventListener('hashchange', reveal);
reveal();
let closed = [];
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('article.broken .finding:first-of-type details.exchange:not([open])')];
  for (const fold of closed) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
`;

/** Maximum bytes of the broken requirements and of the full list, so that the page stays below 2 MB. */
const BROKEN_SPACE = 700_000;
const LIST_SPACE = 600_000;

/** The complete HTML document. */
export function reportPage(whole: ConformanceReport): string {
  const report = withMissingShards(whole);
  const exchanges = exchangesById(report.exchanges);
  const spaces = { broken: new Space(BROKEN_SPACE), list: new Space(LIST_SPACE) };
  const sections = report.targets.map((target) => ({
    target,
    parts: partsOf(report, target, exchanges, spaces),
  }));
  const title = report.targets.map((target) => verdictSentence(report, target)).join(' ');
  return documentOf(
    { title, style, script },
    markup`<a class="skip" href="#content">Skip to what is broken</a>
        <header>${overview(report, (target) => causesIndex(report, target))}</header>
        <nav aria-label="Parts of the report">
          <ul>
            ${sections.map(({ target, parts }) => parts.map(([name, , , link]) => link !== undefined && markup`<li><a href="#${targetAnchor(report, target.name, name)}">${link}${suffix(report, target)}</a></li>`))}
          </ul>
          ${filterForm(report.requirements)}
        </nav>
        <main id="content">
          ${sections.map(({ target, parts }) => parts.map((part) => section(report, target, part)))}
        </main>
        <footer>
          Made by ${report.tool.name} ${report.tool.version}. Keys are not part of this page.
          Everything in it, and more, is in conformance.json.
        </footer>`,
  );
}

/** A part of a target's section: anchor suffix, title, content, and its name in the navigation. */
type Part = readonly [name: string, title: string, content: Markup, link?: string];

function partsOf(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangesById,
  spaces: { readonly broken: Space; readonly list: Space },
): readonly Part[] {
  const doubt = doubtSection(report, target);
  const hasDoubt = doubt.toString().trim() !== '';
  const { observed } = target;
  const deviations = deviationLines(report, target.name);
  const all: readonly (Part | false | undefined)[] = [
    [
      'broken',
      'Broken requirements',
      brokenSection(report, target, exchanges, spaces.broken),
      'Broken',
    ],
    hasDoubt && ['doubt', 'Inconclusive', doubt, 'Inconclusive'],
    deviations.length > 0 && ['deviations', 'Known deviations', deviationsSection(deviations)],
    ['missing', 'Not exercised', notExercisedSection(report, target), 'Not exercised'],
    [
      'silent',
      'What the contract leaves open, and what this deployment does',
      silentSection(report, target),
      'Left open',
    ],
    observed && ['observed', 'Traffic of others', observedSection(observed)],
    ['coverage', 'What was seen', coverageSection(target), 'Seen'],
    contractData(target.contract).hasStates && [
      'states',
      'The life of an instance',
      statesSection(target),
    ],
    ['latency', 'Requests and latency', latencySection(target), 'Latency'],
    [
      'all',
      'All requirements',
      allRequirements(report, target, exchanges, spaces.list),
      'All requirements',
    ],
  ];
  return all.filter((part) => part !== false && part !== undefined);
}

function section(
  report: ConformanceReport,
  target: TargetResult,
  [name, title, content]: Part,
): Markup {
  const id = targetAnchor(report, target.name, name);
  return markup`<section class="part-${name}" aria-labelledby="${id}">
      <h2 id="${id}">${title}${suffix(report, target)}</h2>
      ${content}
    </section>`;
}

function suffix(report: ConformanceReport, target: TargetResult): Content {
  return report.targets.length > 1 && markup` <span class="faint">${target.name}</span>`;
}
