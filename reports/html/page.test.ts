import { describe, expect, test } from 'vitest';

import { HOSTILE, hostileReport } from '../hostile.test.support.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { sampleRun } from '../sample-run.test.support.ts';
import { reportPage } from './page.ts';
import type { LiveRequirement, LiveTraffic } from '../../schemas/live.ts';
import { livePage } from './live-page.ts';

const MAX_BYTES = 2_000_000;

test('the first screen tells the verdict and the honest counts', () => {
  const page = reportPage(sampleRun());
  expect(page).toContain('staging breaks the compute contract.');
  expect(page).toMatch(/\d+ of \d+ stated requirements held, \d+ broken, .*\d+ not exercised\./u);
  // For those who hear the bars.
  expect(page).toContain(
    'aria-label="0 of 2 implied requirements held, 1 broken, 1 not exercised"',
  );
});

test('a broken requirement shows both sides with the difference marked, a curl and the replay', () => {
  const id = 'compute.list-instances.size-maximum';
  const finding = sampleFinding(id, {
    expected: 'status 400',
    actual: 'status 200',
    exchanges: ['e1'],
  });
  const page = reportPage(
    sampleReport({
      catalogue: [id],
      outcomes: [{ findings: [finding], exchanges: [sampleExchange()] }],
    }),
  );
  expect(page).toContain('status <mark>400</mark>');
  expect(page).toContain('status <mark>200</mark>');
  expect(page).toContain('Bearer $PLUMBLINE_KEY');
  expect(page).toContain(`plumbline run staging.yaml --only ${id} --seed 42`);
});

test('what was not exercised comes with the line to add', () => {
  expect(reportPage(sampleRun())).toContain('keys: { second: ${K} }');
});

test('no id is given twice, and every link leads somewhere', () => {
  const page = reportPage(sampleRun());
  const ids = [...page.matchAll(/\sid="([^"]+)"/gu)].map(([, id]) => id ?? '');
  const links = [...page.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id ?? '');
  expect(new Set(ids).size).toBe(ids.length);
  expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  expect(links.length).toBeGreaterThan(20);
});

test('untrusted text never becomes markup', () => {
  const page = reportPage(hostileReport());
  for (const element of ['script', 'style', 'title', 'textarea', 'pre']) {
    const opened = page.match(new RegExp(`<${element}[ >]`, 'giu'))?.length ?? 0;
    const closed = page.match(new RegExp(`</${element}>`, 'giu'))?.length ?? 0;
    expect([element, opened]).toEqual([element, closed]);
  }
  expect(page.match(/<script/giu)).toHaveLength(1);
  expect(page).not.toMatch(
    /<(?:img|iframe|a href="javascript|svg onload|meta http-equiv=refresh)/iu,
  );
  expect(page).toContain('window.pwned=1');
  expect(HOSTILE).toContain('<img');
});

test('nothing is loaded from anywhere', () => {
  expect(reportPage(sampleRun())).not.toMatch(
    /\s(?:src|srcset|action|formaction)=|@import|url\(["']?[a-z]/iu,
  );
});

test.for<[string, number]>([
  ['everything broken', 1],
  ['every tenth broken', 10],
])('stays below 2 MB with 500 requirements and 10,000 large exchanges: %s', ([, every]) => {
  const catalogue = Array.from({ length: 500 }, (_, index) =>
    sampleRequirement(`compute.section-${index % 20}.rule-${index}`),
  );
  const large = { text: 'x<"'.repeat(5_000), bytes: 15_000 };
  const outcomes = catalogue.map(({ id }, index) =>
    sampleOutcome({
      case: id,
      seen: { [id]: 1 },
      samples: { [id]: `e${index}-0` },
      findings:
        index % every === 0
          ? Array.from({ length: 20 }, (_, each) =>
              sampleFinding(id, {
                message: `${each} ${large.text}`,
                actual: large.text,
                exchanges: [`e${index}-${each}`],
              }),
            )
          : [],
      exchanges: Array.from({ length: 20 }, (_, each) =>
        sampleExchange({
          id: `e${index}-${each}`,
          response: { status: 200, headers: [], body: large },
        }),
      ),
    }),
  );
  const page = reportPage(sampleReport({ catalogue, outcomes }));
  expect(Buffer.byteLength(page)).toBeLessThan(MAX_BYTES);
  for (const { id } of catalogue) expect(page).toContain(id);
});

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)> \u202E`;

const requirement = (change: Partial<LiveRequirement> = {}): LiveRequirement => ({
  id: 'router.envelope.object',
  statement: 'Errors are an object.',
  strength: 'stated',
  seen: 12,
  violations: 0,
  ...change,
});
const live = (change: Partial<LiveTraffic> = {}): LiveTraffic => ({
  target: { name: 'staging', contract: 'router', baseUrl: 'https://router.example.com' },
  listening: 'http://127.0.0.1:8080',
  startedAt: 0,
  now: 90_000,
  source: 'proxy',
  judged: 12,
  notJudged: [],
  clients: [],
  connections: 1,
  underWay: 0,
  perSecond: [0, 3, 6],
  latency: { median: 1.5, p99: 20 },
  requirements: [requirement()],
  answers: [{ operation: 'models', status: 200, code: '', count: 12 }],
  following: { instances: 0, cursors: 0 },
  ...change,
});

describe('the live page', () => {
  test('says what was seen and held', () => {
    const page = livePage(live(), true);
    expect(page).toContain('<h1>No violation so far</h1>');
    expect(page).toContain('router.envelope.object');
    expect(page).not.toMatch(/<script|<img/u);
  });

  test('loads itself again, unless it is asked to stand still', () => {
    expect(livePage(live(), true)).toContain('http-equiv="refresh"');
    expect(livePage(live(), false)).not.toContain('http-equiv="refresh"');
  });

  test('counts what is broken, the stated ones in its headline', () => {
    const latest = { message: 'No envelope.', expected: 'one', actual: 'none' };
    const broken = requirement({ violations: 3, latest });
    expect(livePage(live({ requirements: [broken] }), true)).toMatch(
      /<h1>1 stated requirement broken<\/h1>[\s\S]*Broken 3 of 12 times[\s\S]*No envelope\./u,
    );
    const implied = requirement({ violations: 3, latest, strength: 'implied' });
    expect(livePage(live({ requirements: [implied] }), true)).toContain(
      'No violation of what is stated',
    );
  });

  test('says so when nothing has passed yet', () => {
    const nothing = live({
      judged: 0,
      requirements: [],
      answers: [],
      perSecond: [],
      latency: null,
    });
    expect(livePage(nothing, true)).toContain('Nothing has passed yet');
  });

  test('holds text of servers and clients as text', () => {
    const page = livePage(
      live({
        target: { name: EVIL, contract: 'router', baseUrl: EVIL },
        requirements: [
          requirement({ violations: 1, latest: { message: EVIL, expected: EVIL, actual: EVIL } }),
        ],
        answers: [{ operation: 'models', status: 500, code: EVIL, count: 1 }],
        clients: [{ client: EVIL, askedToWait: 1, waited: 0, hurried: 1 }],
        notJudged: [{ reason: EVIL, count: 1 }],
      }),
      true,
    );
    expect(page).not.toMatch(/<script|<img|\u202E/u);
    expect(page.match(/&#60;script&#62;/gu)?.length).toBeGreaterThan(6);
  });
});
