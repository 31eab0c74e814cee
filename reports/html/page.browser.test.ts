import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { CHROMIUM, launchChromium } from '../chromium.test.support.ts';
import { badge } from '../formats/badge.ts';
import { hostileReport } from '../hostile.test.support.ts';
import { reportToJunit } from '../formats/junit.ts';
import { sampleRun } from '../sample-run.test.support.ts';
import { trendsOf } from '../model/trend.ts';
import { reportPage } from './page.ts';
import { trendPage } from './trend-page.ts';

const NOTICE =
  'the browser tests of the report page did not run: no Chromium; apt-get install chromium, or set CHROMIUM_PATH';
if (CHROMIUM === undefined) process.stderr.write(`${NOTICE}\n`);

describe.skipIf(CHROMIUM === undefined)('the page in Chromium', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'report-page-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
    return async () => browser.close();
  });

  /** Opens a page from a file, like a CI artifact, and records what it tries to do. */
  async function opened(content: string, options: { readonly script?: boolean } = {}) {
    const file = path.join(folder, `${crypto.randomUUID()}.html`);
    writeFileSync(file, content);
    const context = await browser.newContext({ javaScriptEnabled: options.script ?? true });
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    await page.goto(pathToFileURL(file).href);
    return { page, requests, complaints };
  }

  const sections = (page: Page) => page.locator('details.section:visible');
  const rows = (page: Page) => page.locator('li.requirement:visible');

  test('the history of a hostile server runs nothing, loads nothing and is drawn', async () => {
    const { page, requests, complaints } = await opened(trendPage(trendsOf([hostileReport()])));
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('script, img, iframe, object, embed, form, a').count()).toBe(0);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    const column = await page.locator('.trend rect').first().boundingBox();
    expect(column?.height).toBeGreaterThan(1);
  });

  test('a hostile server runs no script, loads nothing and adds no element', async () => {
    const { page, requests, complaints } = await opened(reportPage(hostileReport()));
    await page.evaluate(
      `for (const fold of document.querySelectorAll('details')) fold.open = true`,
    );
    for (const link of await page.locator('a:not(.skip):visible').all()) await link.click();
    for (const part of await page.locator('pre:visible, summary:visible').all()) await part.hover();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('img, iframe, object, embed, form:not(.filter)').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith('on'))`,
      ),
    ).toEqual([]);
    expect(
      await page.evaluate(`[...document.links].every((link) => link.protocol === 'file:')`),
    ).toBe(true);
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.locator('body').innerText()).toContain('window.pwned=1');
  });

  test('even markup that got through could run no script', async () => {
    const smuggled = reportPage(hostileReport()).replace(
      '<footer>',
      () => '<footer><script>window.pwned=1</script><img src=x onerror="window.pwned=2">',
    );
    const { page, complaints } = await opened(smuggled);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(complaints.join()).toContain('Content Security Policy');
  });

  test('XML forms are well formed whatever a server says', async () => {
    const report = hostileReport();
    const { page } = await opened('<!doctype html><title>empty</title>');
    const documents = [
      reportToJunit(report),
      ...report.targets.map((target) => badge(report, target)),
    ];
    for (const text of documents) {
      const wrong = await page.evaluate(
        (xml: string) =>
          `${new (Reflect.get(globalThis, 'DOMParser'))().parseFromString(xml, 'application/xml').querySelector('parsererror')?.textContent ?? ''}`,
        text,
      );
      expect(wrong).toBe('');
    }
  });

  test('filters by words and by verdict, and says when nothing fits', async () => {
    const { page, complaints } = await opened(reportPage(sampleRun()));
    const search = page.getByRole('searchbox', { name: 'Filter' });
    await search.fill('late asks');
    const narrowed = await rows(page).count();
    expect(narrowed).toBeGreaterThan(0);
    await expect.poll(() => page.locator('output').innerText()).toContain(`${narrowed} of `);
    await search.fill('nothing has these words');
    expect(await rows(page).count()).toBe(0);
    expect(await page.locator('.none').isVisible()).toBe(true);
    await search.fill('');
    for (const box of await page.getByRole('checkbox').all()) {
      if ((await box.getAttribute('value')) !== 'failed') await box.uncheck();
    }
    expect(await rows(page).count()).toBe(await page.locator('article.failed').count());
    expect(complaints).toEqual([]);
  });

  test('folds and unfolds everything', async () => {
    const { page } = await opened(reportPage(sampleRun()));
    expect(await rows(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Open all' }).click();
    expect(await rows(page).count()).toBe(await page.locator('li.requirement').count());
    await page.getByRole('button', { name: 'Close all' }).click();
    expect(await rows(page).count()).toBe(0);
    expect(await sections(page).count()).toBeGreaterThan(5);
  });

  test('a link to a requirement opens the folds around it', async () => {
    const { page } = await opened(reportPage(sampleRun()));
    await page.locator('.missing summary').first().click();
    const link = page.locator('.missing .ids a').first();
    const id = ((await link.getAttribute('href')) ?? '').slice(1);
    await link.click();
    await expect.poll(() => page.locator(`[id="${id}"]`).isVisible()).toBe(true);
  });

  test('the navigation covers nothing of what a link leads to, at any width', async () => {
    const { page } = await opened(reportPage(hostileReport()));
    for (const width of [1400, 800, 390]) {
      await page.setViewportSize({ width, height: 600 });
      const covered = await page.evaluate(`(() => {
        const target = document.querySelector('.broken[id]');
        target.scrollIntoView();
        const nav = document.querySelector('nav').getBoundingClientRect();
        return nav.bottom - target.getBoundingClientRect().top;
      })()`);
      expect(covered, `${width} px`).toBeLessThanOrEqual(0);
    }
  });

  test('everything can be read and opened from the keyboard without any script', async () => {
    const { page } = await opened(reportPage(sampleRun()), { script: false });
    expect(await page.locator('form.filter').isVisible()).toBe(false);
    await sections(page).first().locator('summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await rows(page).count()).toBeGreaterThan(0);
  });

  test.for(['light', 'dark'] as const)(
    'text can be told from its ground in %s',
    async (colorScheme) => {
      const { page } = await opened(reportPage(sampleRun()));
      await page.emulateMedia({ colorScheme });
      const ratio: number = await page.evaluate(CONTRAST);
      expect(ratio).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('on paper the ground is light, and the exchanges of what is broken are unfolded', async () => {
    const { page } = await opened(reportPage(sampleRun()));
    const inside = page.locator('.broken details pre').first();
    expect(await inside.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe('rgb(255, 255, 255)');
    const height: number = await page.evaluate(
      "document.querySelector('.broken details pre').getBoundingClientRect().height",
    );
    expect(height).toBeGreaterThan(10);
    expect(await inside.isVisible()).toBe(true);
  });

  test('is not wider than a small screen', async () => {
    const { page } = await opened(reportPage(hostileReport()));
    await page.setViewportSize({ width: 360, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
});

/** The lowest contrast of texts in the page's own colours, by the formula of WCAG 2. */
const CONTRAST = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('h1, .faint, .badge, a:not(.skip), .statement, summary')];
  return Math.min(...texts.map((text) => {
    const own = light(getComputedStyle(text).color);
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
  }));
})()`;
