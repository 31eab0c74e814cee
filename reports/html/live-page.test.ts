import { describe, expect, test } from 'vitest';
import type { LiveRequirement, LiveTraffic } from '../../schemas/live.ts';
import { livePage } from './live-page.ts';

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
