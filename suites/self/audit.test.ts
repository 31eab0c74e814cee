/** Recordings of real clients, judged by `plumbline audit`. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { CHROMIUM, launchChromium } from '../../reports/chromium.test.support.ts';
import { startBroken } from './broken.ts';
import { folderWith, plumbline, readReport } from './command.ts';

const BROKEN = 'compute.errors.envelope';
/** The requests of a page; the second response is an error, which the broken server sends without its envelope. */
const ASKED = ['/instances?size=2', '/instances/no-uuid', '/regions', '/presets?size=3'];

const conforming = await startCompute();
const broken = await startBroken('envelope-is-flat');
afterAll(async () => {
  await conforming.close();
  await broken.close();
});

const audited = (folder: string) => readReport(folder, 'conformance-audited');

describe('recordings', () => {
  test.skipIf(CHROMIUM === undefined)(
    'of a browser, of a server that conforms and of one that does not',
    async () => {
      const folder = folderWith();
      const browser = await launchChromium();
      const recorded = async (name: string, of: ComputeReference): Promise<void> => {
        const recordHar = { path: path.join(folder, name), content: 'embed' as const };
        const context = await browser.newContext({ recordHar });
        const page = await context.newPage();
        await page.goto(`${of.baseUrl}/regions`);
        const key = of.world.keys.find((one) => one.role === 'primary')?.secret ?? '';
        for (const asked of ASKED) {
          await page.evaluate(
            `fetch('/v1${asked}', { headers: { Authorization: 'Bearer ${key}' } }).then((answer) => answer.text())`,
          );
        }
        await context.close();
      };
      await recorded('good.har', conforming);
      await recorded('bad.har', broken);
      await browser.close();
      const good = await plumbline(['audit', 'good.har'], folder);
      const { requirements, targets } = audited(good.folder);
      expect(requirements.flatMap(({ findings }) => findings)).toEqual([]);
      expect(good.code, good.stderr).toBe(0);
      expect(targets[0]?.observed?.judged).toBeGreaterThanOrEqual(ASKED.length);
      const bad = await plumbline(['audit', 'bad.har', '--json'], folder);
      expect(bad.code, bad.stderr).toBe(1);
      const found = audited(bad.folder).requirements.filter(({ verdict }) => verdict === 'failed');
      expect(found.map(({ id }) => id)).toContain(BROKEN);
      expect(found[0]?.findings[0]?.replay).toBe(`plumbline audit bad.har --only ${found[0]?.id}`);
      expect(JSON.parse(bad.stdout)).toMatchObject({ schemaVersion: 1 });
    },
  );

  test('as lines, with a target file: keys are known, and what is elsewhere is skipped', async () => {
    const target = conforming.target();
    const key = target.keys.primary;
    const lines = [
      ...ASKED.map((asked) => `${conforming.baseUrl}${asked}`),
      `${conforming.baseUrl}/regions`,
    ];
    const exchanges = await Promise.all(
      lines.map(async (url, index) => {
        const startedAt = Date.now();
        const headers = { authorization: `Bearer ${key}` };
        const answer = await fetch(url, { headers });
        return {
          request: { method: 'GET', url, headers },
          response: {
            status: answer.status,
            headers: Object.fromEntries(answer.headers),
            body: await answer.text(),
          },
          startedAt,
          // Two identical reads in one millisecond would count as a duplicate recording.
          durationMs: 2 + index,
        };
      }),
    );
    const request = { method: 'GET', url: 'https://cdn.example.com/a.js' };
    const elsewhere = { ...exchanges[0], request };
    const folder = folderWith({
      'target.yaml': JSON.stringify(target),
      'traffic.ndjson': [...exchanges, elsewhere, exchanges[0]]
        .map((one) => JSON.stringify(one))
        .concat('no JSON', '')
        .join('\n'),
    });
    const ended = await plumbline(['audit', '--target', 'target.yaml', 'traffic.ndjson'], folder);
    expect(ended.code, ended.stderr).toBe(0);
    expect(audited(ended.folder).targets[0]?.observed).toMatchObject({
      source: 'recording',
      judged: exchanges.length,
      notJudged: [
        { reason: 'requests to other origins', count: 1 },
        { reason: 'exchanges that were recorded twice', count: 1 },
        { reason: 'lines that are not JSON', count: 1 },
      ],
    });
    const file = path.join(folder, 'conformance-audited', 'conformance.json');
    const written = readFileSync(file, 'utf8');
    expect(written).not.toContain(key);
    expect(written).toContain('‹key:primary›');
  });
});
