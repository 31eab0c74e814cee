/** The report as one self-contained page: no request leaves it, and no script is needed to read it. */

import { contractData } from '../../schemas/contracts.ts';
import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { withMissingShards } from '../model/conclusions.ts';
import { verdictSentence } from '../model/wording.ts';
import { allRequirements, doubtSection, filterForm, notExercisedSection } from './requirements.ts';
import {
  type Content,
  documentHead,
  markup,
  Markup,
  nothing,
  Space,
  style,
  targetAnchor,
} from './document.ts';
import { script } from './page-script.ts';
import { brokenSection, causesIndex, type ExchangeLookup } from './broken.ts';
import { coverageSection, latencySection } from './traffic.ts';
import {
  deviationsSection,
  hasDeviations,
  observedSection,
  overview,
  silentSection,
} from './overview.ts';
import { statesSection } from './states.ts';

/** Bytes for what is broken, and for the full list; together with the rest the page stays below 2 MB. */
const BROKEN_SPACE = 700_000;
const LIST_SPACE = 600_000;

/** The whole HTML document. */
export function reportPage(whole: ConformanceReport): string {
  const report = withMissingShards(whole);
  const exchanges: ExchangeLookup = new Map(
    report.exchanges.map((exchange) => [exchange.id, exchange]),
  );
  const spaces = { broken: new Space(BROKEN_SPACE), list: new Space(LIST_SPACE) };
  const title = report.targets.map((target) => verdictSentence(report, target)).join(' ');
  return markup`<!doctype html>
    <html lang="en">
      ${documentHead({ title, style, script })}
      <body>
        <a class="skip" href="#content">Skip to what is broken</a>
        <header>${overview(report, (target) => causesIndex(report, target))}</header>
        <nav aria-label="Parts of the report">
          <ul>
            ${report.targets.map((target) => navigation(report, target))}
          </ul>
          ${filterForm(report.requirements)}
        </nav>
        <main id="content">
          ${report.targets.map((target) => targetParts(report, target, exchanges, spaces))}
        </main>
        <footer>
          Made by ${report.tool.name} ${report.tool.version}. Keys are not part of this page.
          Everything in it, and more, is in conformance.json.
        </footer>
        <script>${new Markup(script)}</script>
      </body>
    </html> `.toString();
}

/** Nothing may be loaded or sent, and only the page's own style and script may act. */
interface Part {
  readonly name: string;
  readonly title: string;
  readonly content: Markup;
}

function targetParts(
  report: ConformanceReport,
  target: TargetResult,
  exchanges: ExchangeLookup,
  spaces: { readonly broken: Space; readonly list: Space },
): readonly Markup[] {
  const doubt = doubtSection(report, target);
  const parts: readonly Part[] = [
    {
      name: 'broken',
      title: 'Broken requirements',
      content: brokenSection(report, target, exchanges, spaces.broken),
    },
    ...(doubt.toString().trim() === ''
      ? []
      : [{ name: 'doubt', title: 'Inconclusive', content: doubt }]),
    ...(hasDeviations(report, target)
      ? [
          {
            name: 'deviations',
            title: 'Known deviations',
            content: deviationsSection(report, target),
          },
        ]
      : []),
    { name: 'missing', title: 'Not exercised', content: notExercisedSection(report, target) },
    {
      name: 'silent',
      title: 'What the contract leaves open, and what this deployment does',
      content: silentSection(report, target),
    },
    ...(target.observed === undefined
      ? []
      : [
          {
            name: 'observed',
            title: 'Traffic of others',
            content: observedSection(target.observed),
          },
        ]),
    { name: 'coverage', title: 'What was seen', content: coverageSection(target) },
    ...(contractData(target.contract).hasStates
      ? [{ name: 'states', title: 'The life of an instance', content: statesSection(target) }]
      : []),
    { name: 'latency', title: 'Requests and latency', content: latencySection(target) },
    {
      name: 'all',
      title: 'All requirements',
      content: allRequirements(report, target, exchanges, spaces.list),
    },
  ];
  return parts.map(({ name, title, content }) => {
    const id = targetAnchor(report, target.name, name);
    return markup`<section class="part-${name}" aria-labelledby="${id}">
      <h2 id="${id}">${title}${suffix(report, target)}</h2>
      ${content}
    </section>`;
  });
}

function suffix(report: ConformanceReport, target: TargetResult): Content {
  return report.targets.length > 1 ? markup` <span class="faint">${target.name}</span>` : nothing;
}

const LINKS = [
  ['broken', 'Broken'],
  ['doubt', 'Inconclusive'],
  ['missing', 'Not exercised'],
  ['silent', 'Left open'],
  ['coverage', 'Seen'],
  ['latency', 'Latency'],
  ['all', 'All requirements'],
] as const;

function navigation(report: ConformanceReport, target: TargetResult): readonly Markup[] {
  const hasDoubts = doubtSection(report, target).toString().trim() !== '';
  return LINKS.filter(([part]) => part !== 'doubt' || hasDoubts).map(
    ([part, title]) =>
      markup`<li>
        <a href="#${targetAnchor(report, target.name, part)}">${title}${suffix(report, target)}</a>
      </li>`,
  );
}
