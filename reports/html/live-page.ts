/** The page of a running observation. It needs no script, and escapes all untrusted text. */

import { contractData } from '../../schemas/contracts.ts';
import type { LiveRequirement, LiveTraffic } from '../../schemas/live.ts';
import { duration, plural, sum, visibleLine } from '../model/text.ts';
import { bar, clientsTable, notJudgedTable } from './overview.ts';
import {
  type Content,
  documentOf,
  markup,
  type Markup,
  policyFor,
  style,
  table,
} from './document.ts';

/** Seconds after which the page reloads itself. */
const REFRESH_S = 5;
const SHOWN_TEXT = 600;
const SHOWN_ROWS = 60;
const SECOND_WIDTH = 10;
const RATE_HEIGHT = 60;

/** The policy header of the page: it loads nothing and runs nothing. */
export const livePagePolicy = `${policyFor({ style })}; frame-ancestors 'none'`;

/** The complete HTML document; `refreshes` is false for a page that does not reload. */
export function livePage(live: LiveTraffic, refreshes: boolean): string {
  return documentOf(
    {
      title: `${headline(live)} ${live.target.name}`,
      style,
      also: refreshes && markup`<meta http-equiv="refresh" content="${REFRESH_S}" />`,
    },
    markup`<header>
          <p class="faint">Observed for ${duration(live.now - live.startedAt)}</p>
          <h1>${headline(live)}</h1>
          <p class="lead">
            ${live.target.name}, ${live.target.contract} contract, at ${live.target.baseUrl};
            clients use ${live.listening}
          </p>
          ${numbers(live)} ${rate(live.perSecond)}
          <p class="faint">
            ${
              refreshes
                ? markup`This page loads itself again every ${REFRESH_S} seconds. <a href="/?still">Let it stand still</a>`
                : markup`This page stands still. <a href="/">Let it follow</a>`
            }
            · <a href="/live.json">as JSON</a>
          </p>
        </header>
        <main id="content">
          ${broken(live.requirements)} ${answers(live)}
          ${live.clients.length > 0 && part('clients', 'Manners of clients', clientsTable(live.clients))}
          ${held(live.requirements)}
          ${live.notJudged.length > 0 && part('left', 'Passed on, and not judged in full', notJudgedTable(live.notJudged))}
        </main>
        <footer>Keys are not part of this page. Ending the observation writes the report.</footer>`,
  );
}

function headline({ requirements, judged }: LiveTraffic): string {
  const stated = requirements.filter((one) => one.violations > 0 && one.strength === 'stated');
  if (stated.length > 0) return `${plural(stated.length, 'stated requirement')} broken`;
  if (judged === 0) return 'Nothing has passed yet';
  return requirements.some(({ violations }) => violations > 0)
    ? 'No violation of what is stated so far'
    : 'No violation so far';
}

function numbers(live: LiveTraffic): Markup {
  const facts: readonly (readonly [string, string | number])[] = [
    ['Exchanges', live.judged],
    ['Under way', live.underWay],
    ['Connections', live.connections],
    ['Per second, lately', average(live.perSecond).toFixed(1)],
    [
      'Until the answer begins, median',
      live.latency === null ? '–' : milliseconds(live.latency.median),
    ],
    ['99 of 100', live.latency === null ? '–' : milliseconds(live.latency.p99)],
    ...(contractData(live.target.contract).hasStates
      ? [['Instances followed', live.following.instances] as const]
      : []),
  ];
  return markup`<dl class="facts">
    ${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** Durations below a second have a decimal, since that is where they differ. */
function milliseconds(value: number): string {
  return value < 1_000 ? `${value.toFixed(1)} ms` : duration(value);
}

function average(perSecond: readonly number[]): number {
  const lately = perSecond.slice(-10);
  return lately.length === 0 ? 0 : sum(lately, (one) => one) / lately.length;
}

/** Exchanges per second over the last minute, as bars. */
function rate(perSecond: readonly number[]): Markup {
  const most = perSecond.reduce((left, right) => Math.max(left, right), 1);
  const width = perSecond.length * SECOND_WIDTH;
  return markup`<p class="faint">Exchanges per second, over the last minute; at most ${most}</p>
    <svg
    viewBox="0 0 ${width} ${RATE_HEIGHT}"
    width="${width}"
    height="${RATE_HEIGHT}"
    role="img"
    aria-label="Exchanges per second over the last ${perSecond.length} seconds, at most ${most}"
  >
    ${perSecond.map((count, at) => {
      const height = (count / most) * (RATE_HEIGHT - 2);
      return markup`<rect class="fill-observed" x="${at * SECOND_WIDTH}" y="${(RATE_HEIGHT - height).toFixed(1)}" width="${SECOND_WIDTH - 2}" height="${height.toFixed(1)}" />`;
    })}
  </svg>`;
}

function broken(requirements: readonly LiveRequirement[]): Markup {
  const wrong = requirements.filter(({ violations }) => violations > 0);
  return part('broken', 'Violations', [
    wrong.length === 0 && markup`<p>None was seen.</p>`,
    wrong.slice(0, SHOWN_ROWS).map(violation),
    wrong.length > SHOWN_ROWS && markup`<p>And ${wrong.length - SHOWN_ROWS} more, in the JSON.</p>`,
  ]);
}

function violation(one: LiveRequirement): Markup {
  const { latest } = one;
  return markup`<article class="broken${one.strength === 'stated' ? '' : ' warned'}">
    <h3>${one.id}</h3>
    <p>
      <span class="badge ${one.strength === 'stated' ? 'failed' : 'warned'}">${one.strength}</span>
      ${one.statement}
    </p>
    <p>Broken ${one.violations} of ${plural(one.seen, 'time')}.</p>
    ${
      latest &&
      markup`<p class="message">${visibleLine(latest.message, SHOWN_TEXT)}</p>
          <div class="sides">
            <div><h4>Expected</h4><pre>${visibleLine(latest.expected, SHOWN_TEXT)}</pre></div>
            <div><h4>Actual</h4><pre>${visibleLine(latest.actual, SHOWN_TEXT)}</pre></div>
          </div>`
    }
  </article>`;
}

function answers(live: LiveTraffic): Markup {
  const rows = live.answers.toSorted((one, other) => other.count - one.count);
  const answered = (kind: number): number =>
    sum(
      rows.filter(({ status }) => Math.floor(status / 100) === kind),
      ({ count }) => count,
    );
  return part('answers', 'Answers', [
    bar('Answers by kind of status', [
      ['of 2xx', answered(2), 'passed'],
      ['of 3xx', answered(3), 'observed'],
      ['of 4xx', answered(4), 'warned'],
      ['of 5xx', answered(5), 'failed'],
      ['without a status', answered(0), 'missing'],
    ]),
    table(
      ['Operation', 'Status', 'Code', 'Count'],
      rows
        .slice(0, SHOWN_ROWS)
        .map(({ operation, status, code, count }) => [
          operation,
          status === 0 ? 'none' : String(status),
          visibleLine(code, 80),
          String(count),
        ]),
    ),
  ]);
}

function held(requirements: readonly LiveRequirement[]): Markup {
  const right = requirements.filter(({ violations }) => violations === 0);
  return part(
    'held',
    'Seen, and right each time',
    right.length === 0
      ? markup`<p>Nothing yet.</p>`
      : table(
          ['Requirement', 'Statement', 'Seen'],
          right.map(({ id, statement, seen }) => [id, statement, String(seen)]),
        ),
  );
}

function part(id: string, title: string, content: Content): Markup {
  return markup`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}
