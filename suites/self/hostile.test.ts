/**
 * The whole suite against every bad server: it ends by itself within its memory limit, reports no error of its own, passes
 * nothing that it did not see, and explains what happened. An ordinary run tries a few servers, `PLUMBLINE_HOSTILE=all`
 * all of them, and any other value those whose names contain it.
 */

import { describe, expect, test } from 'vitest';
import { ofSuite } from '../../reports/model/lost.ts';
import type { RequirementResult } from '../../schemas/report.ts';
import { listen } from './hostile/bad-server.ts';
import { badConnections } from './hostile/connections.ts';
import { badContents } from './hostile/contents.ts';
import { badMessages } from './hostile/messages.ts';
import { folderWith, plumbline } from './command.ts';
import { runWholeSuite } from './whole-suite.ts';

const corpus = [...badConnections, ...badMessages, ...badContents];
const representative: ReadonlySet<string> = new Set([
  'never answers',
  'has headers without end',
  'has a body without end',
  'is a gzip bomb',
  'is nested 100,000 deep',
  'is nested 400 deep',
  'has __proto__',
  'has a page of 100,000 empty items',
  'asks to wait a year',
  'has cursors of a megabyte',
]);
/** Servers without any readable response; the report states that once. */
const unreadable = new Set(badMessages.filter(({ explains, isRead }) => explains && !isRead));
/** The report must state it after this many requests: the first ones may spend the whole budget of seconds. */
const ENOUGH = 10;
const asked = process.env['PLUMBLINE_HOSTILE'];
const tried = corpus.filter(({ name }) =>
  asked === undefined ? representative.has(name) : asked === 'all' || name.includes(asked),
);

/** The budget of a run, and the milliseconds after which a run counts as stuck. */
const MINUTES = asked === undefined ? 0.03 : 0.02;
const STUCK_MS = 60_000;
const MAX_MEMORY_MB = 512;

const files = {
  compute: (origin: string) => ({
    contract: 'compute',
    baseUrl: `${origin}/v1`,
    keys: { primary: 'loopback-one', second: 'loopback-two' },
    bindings: {
      terminate: 'POST /instances/{id}/terminate',
      getInstance: { record: '$' },
      regions: { codes: '$[*]' },
      presets: { items: '$.presets' },
    },
    consent: { stop: true, terminate: true },
    budget: { requests: 300, minutes: MINUTES },
  }),
  router: (origin: string) => ({
    contract: 'router',
    baseUrl: origin,
    keys: { client: 'loopback-one', admin: 'loopback-two' },
    models: { chat: 'some-model' },
    budget: { requests: 300, minutes: MINUTES },
  }),
} as const;

test('the corpus has at least sixty servers, each with a name of its own', () => {
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  expect(corpus.length).toBeGreaterThanOrEqual(60);
});

describe.for(tried)('a server that $name', (bad) => {
  test.for(['compute', 'router'] as const)('as %s', { timeout: STUCK_MS }, async (contract) => {
    const server = await listen(bad);
    const origin = `${bad.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`;
    const { requirements, run, troubles } = await runWholeSuite(files[contract](origin), {
      runs: 3,
    });
    await server.close();
    expect(ofSuite({ troubles })).toEqual([]);
    const isUnreadable = unreadable.has(bad) && run.requests >= ENOUGH;
    expect(isUnreadable ? [1] : [0, 1]).toContain(troubles.length);
    const notObserved = requirements.filter(
      ({ verdict, observations }) =>
        verdict === 'error' || (verdict === 'passed' && observations === 0),
    );
    expect(notObserved).toEqual([]);
    expect(requirements.some(({ verdict }) => verdict !== 'passed')).toBe(true);

    const said = requirements.map(whatIsSaid);
    expect(said.filter((text) => text === '')).toEqual([]);
    const found = requirements.filter(({ findings }) => findings.length > 0);
    const tells = bad.explains;
    const telling = [
      ...(tells === undefined || bad.isRead ? found : []),
      ...said.filter((text) => tells?.test(text)),
    ];
    expect(telling).not.toEqual([]);
  });
});

/** Servers that cause the highest memory use, tried unless `PLUMBLINE_HOSTILE` is set. */
const greedy: ReadonlySet<string> = new Set([
  'has a body without end',
  'comes in chunks of a byte',
  'has cursors of a megabyte',
]);
const begun = (asked === undefined ? corpus.filter(({ name }) => greedy.has(name)) : tried).filter(
  ({ tls, greet }) => tls === undefined && greet === undefined,
);

describe.concurrent.for(begun)('the command before a server that $name', (bad) => {
  test.for(['compute', 'router'] as const)(
    'as %s, stays below 512 MB',
    { timeout: STUCK_MS },
    async (contract) => {
      const server = await listen(bad, SOUND_FIRST);
      const folder = folderWith({
        'target.json': JSON.stringify(files[contract](`http://127.0.0.1:${server.port}`)),
      });
      const finished = await plumbline(['run', 'target.json'], folder, {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellMemory)}`,
      });
      await server.close();
      const peaks = [...finished.stderr.matchAll(/peak of (\d+) kB/gu)].map(([, peak]) =>
        Number(peak),
      );
      // The sound responses may have passed; everything after them is then inconclusive.
      expect([0, 1, 5], finished.stderr).toContain(finished.code);
      expect(ofSuite(finished.report())).toEqual([]);
      expect(peaks.length).toBeGreaterThan(0);
      expect(Math.max(...peaks) / 1024).toBeLessThan(MAX_MEMORY_MB);
    },
  );
});

/** Number of requests that get a sound response, so that the preflight passes. */
const SOUND_FIRST = 8;
/** Makes every process of the command print its peak memory when it exits. */
const tellMemory =
  "process.on('exit', () => process.stderr.write(`peak of ${process.resourceUsage().maxRSS} kB\\n`))";

/** The explanation of a verdict in the report; a dash for a passed or observed requirement. */
function whatIsSaid({ verdict, reason, findings }: RequirementResult): string {
  if (verdict === 'passed' || verdict === 'observed') return '-';
  const found = findings.map(({ message, expected, actual, exchange }) =>
    [message, expected, actual, exchange].some((part) => part === null || part === '')
      ? ''
      : `${message} ${actual}`,
  );
  return [reason ?? '', ...found].filter((text) => text !== '').join('\n');
}
