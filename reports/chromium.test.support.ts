/** The browser of the tests that need one: Debian's, unless `CHROMIUM_PATH` names another. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Its path; undefined where none is installed (`apt-get install chromium`), and those tests are skipped. */
export const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== '' && existsSync(file));

/** Starts it; it asks nobody for anything. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-background-networking'],
  });
}
