/**
 * Every bad server before the whole suite: it ends by itself within its memory, blames nothing on itself, passes
 * nothing that it did not see, and says what happened. A few stand for all in an ordinary run; `PLUMBLINE_HOSTILE=all` tries every one, any other
 * text those whose names contain it.
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
/** Those that nobody can read an answer of, from the first on: the report names that once. */
const unreadable = new Set(badMessages.filter(({ explains, isRead }) => explains && !isRead));
/** Requests after which it must: a budget of seconds may be spent on the first. */
const ENOUGH = 10;
const asked = process.env['PLUMBLINE_HOSTILE'];
const tried = corpus.filter(({ name }) =>
  asked === undefined ? representative.has(name) : asked === 'all' || name.includes(asked),
);

/** Minutes that a run may take, and the milliseconds after which one that goes on is stuck. */
const MINUTES = asked === undefined ? 0.03 : 0.02;
const STUCK_MS = 60_000;
/** Megabytes that a run may ever hold. */
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
    const { report, errors } = await runWholeSuite(files[contract](origin), { runs: 3 });
    await server.close();
    expect(errors).toEqual([]);
    const { troubles } = report;
    expect(ofSuite({ troubles })).toEqual([]);
    const { requirements, run } = report;
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

/** Those that want most of our memory; with `PLUMBLINE_HOSTILE` every one that a run can begin with. */
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
    'as %s, once it has begun, stays below 512 MB',
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
      // What was answered well may have held: what follows is inconclusive then.
      expect([0, 1, 5], finished.stderr).toContain(finished.code);
      expect(ofSuite(finished.report())).toEqual([]);
      expect(peaks.length).toBeGreaterThan(0);
      expect(Math.max(...peaks) / 1024).toBeLessThan(MAX_MEMORY_MB);
    },
  );
});

/** Requests that are answered in order, so that the preflight lets a run begin. */
const SOUND_FIRST = 8;
/** Every process of the command says at its end how much memory it held at most. */
const tellMemory =
  "process.on('exit', () => process.stderr.write(`peak of ${process.resourceUsage().maxRSS} kB\\n`))";

/** Why a verdict is no pass, in the words of the report; a dash for a pass, and what was seen in what is open. */
function whatIsSaid({ verdict, reason, findings }: RequirementResult): string {
  if (verdict === 'passed' || verdict === 'observed') return '-';
  const found = findings.map(({ message, expected, actual, exchange }) =>
    [message, expected, actual, exchange].some((part) => part === null || part === '')
      ? ''
      : `${message} ${actual}`,
  );
  return [reason ?? '', ...found].filter((text) => text !== '').join('\n');
}
