import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import { pass, violated } from '../checks/judgement.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { Credentials } from './credentials.ts';
import { Tally } from './tally.ts';

const ID = 'compute.errors.envelope';
const tally = (): Tally => new Tally(() => 'list-instances');
const outcome = (of: Tally, credentials = new Credentials({})) =>
  of.outcome(
    {
      case: 'compute/traffic › what passed',
      contract: 'compute',
      section: 'traffic',
      target: 'made',
      gaps: [],
      startedAt: 0,
      durationMs: 1_000,
    },
    credentials,
  );
const wrong = (actual: unknown, ...exchanges: Exchange[]) =>
  violated('It is wrong.', { expected: 'right', actual }, ...exchanges);

describe('findings', () => {
  test('that are the same are counted, and shown once', () => {
    const seen = tally();
    for (let at = 0; at < 1_000; at += 1) seen.judge(ID, wrong('x'), exchangeOf());
    expect(outcome(seen).findings).toMatchObject([{ count: 1_000, requirement: ID }]);
    expect(outcome(seen).exchanges).toHaveLength(1);
  });

  test('that all differ are bounded, and none is lost from the count', () => {
    const seen = tally();
    for (let at = 0; at < 1_000; at += 1) seen.judge(ID, wrong(at), exchangeOf());
    const { findings, exchanges } = outcome(seen);
    expect(findings).toHaveLength(3);
    expect(findings.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(1_000);
    expect(exchanges).toHaveLength(3);
    // Every finding cites an exchange.
    expect(findings.every((finding) => finding.exchanges.length > 0)).toBe(true);
    expect(seen.requirements()).toMatchObject([{ seen: 1_000, violations: 1_000 }]);
  });

  test('that are none leave one sample', () => {
    const seen = tally();
    for (let at = 0; at < 10; at += 1) seen.judge(ID, pass(), exchangeOf());
    const { findings, seen: counts, samples, exchanges } = outcome(seen);
    expect(findings).toEqual([]);
    expect(counts).toEqual({ [ID]: 10 });
    expect(exchanges.map(({ id }) => id)).toEqual([samples[ID]]);
  });
});

test('rows of traffic are bounded, whatever codes a server invents', () => {
  const seen = tally();
  for (let at = 0; at < 2_000; at += 1) seen.count(exchangeOf({ status: 400 }), `CODE_${at}`);
  const rows = seen.rows();
  expect(rows.length).toBeLessThanOrEqual(501);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(2_000);
});

test('latencies are an even sample', () => {
  const seen = tally();
  for (let at = 0; at < 10_000; at += 1) seen.count({ ...exchangeOf(), headMs: at }, '');
  const [row] = seen.rows();
  expect(row?.latencies.length).toBeLessThan(401);
  expect(row?.latencies.length).toBeGreaterThan(100);
  expect(row?.latencies.at(-1)).toBeGreaterThan(9_000);
});

describe('what is written', () => {
  const KEY = 'sk-seen-only-later-0815';

  test('holds no key, also when it was seen only after the exchange that echoes it', () => {
    const credentials = new Credentials({});
    const seen = tally();
    const body = { echo: `${'x'.repeat(16_370)}${KEY}` };
    seen.judge(ID, wrong(`the ${KEY}`), credentials.named(exchangeOf({ path: `/${KEY}`, body })));
    credentials.named(exchangeOf({ requestHeaders: [['Authorization', `Bearer ${KEY}`]] }));
    const text = JSON.stringify(outcome(seen, credentials));
    expect(text).toContain('‹unknown key 1›');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(KEY.slice(0, 10));
  });

  test('holds no body once there were too many keys to know', () => {
    const credentials = new Credentials({}, 50);
    const seen = tally();
    seen.judge(ID, wrong('secret side'), exchangeOf({ body: { secret: 'secret body' } }));
    for (let at = 0; at <= 50; at += 1) {
      credentials.named(
        exchangeOf({ requestHeaders: [['Authorization', `Bearer key-number-${at}`]] }),
      );
    }
    expect(JSON.stringify(outcome(seen, credentials))).not.toMatch(/secret (?:side|body)/u);
  });

  test('tells the size of a body that is not held whole', () => {
    const seen = tally();
    seen.judge(ID, pass(), exchangeOf({ body: 'y'.repeat(100_000) }));
    const [exchange] = outcome(seen).exchanges;
    expect(exchange?.response?.body).toMatchObject({ bytes: 100_000, cut: true });
  });
});
