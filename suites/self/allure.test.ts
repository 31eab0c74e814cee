/** The report that Allure 3 builds from the results of a hostile server, in Chromium. */

import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allureCommand, buildAllure } from '../../harness/cli/commands/allure.ts';
import { CHROMIUM, launchChromium } from '../../reports/chromium.test.support.ts';
import { hostileReport } from '../../reports/hostile.test.support.ts';
import { folderWith } from './command.ts';
import { listening } from '../../harness/exchange/listening.test.support.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
};

if (CHROMIUM === undefined)
  process.stderr.write('the page of Allure was not opened: no Chromium\n');

describe.skipIf(CHROMIUM === undefined)('the page of Allure', () => {
  const folder = folderWith({ 'conformance.json': JSON.stringify(hostileReport()) });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(folder, 'page', pathname === '/' ? 'index.html' : pathname);
    if (!existsSync(file)) response.writeHead(404).end();
    else {
      const type = types[path.extname(file)] ?? 'text/plain';
      response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
    }
  });
  let address = '';
  beforeAll(async () => {
    // npx fetches Allure the first time.
    const result = path.join(folder, 'conformance.json');
    await buildAllure(result, path.join(folder, 'page'), await allureCommand(true));
    address = `http://127.0.0.1:${(await listening(server)).port}/`;
  }, 240_000);
  afterAll(() => void server.close());

  test('shows a broken requirement with its case, finding and exchange, and runs nothing of the server', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(address);
      await page.getByText('compute.list-instances.broken').first().click();
      await page.getByText('Test body').waitFor();
      const text = await page.locator('body').innerText();
      expect(text).toContain('Failed');
      expect(text).toContain('Show difference');
      expect(text).toContain('application/vnd.allure.http+json');
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(requests.filter((url) => !url.startsWith(address))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
