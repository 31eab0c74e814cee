/** `npm run picture -- PAGE`: writes a screenshot of a report to docs/report.png. Needs Chromium. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [page = 'conformance-report/report.html', file = 'docs/report.png'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const tab = await browser.newPage({ viewport: { width: 1200, height: 1180 } });
await tab.goto(pathToFileURL(path.resolve(page)).href);
await tab.screenshot({ path: file });
await browser.close();
