/** The browser for the tests that need one: Debian's, or that of `CHROMIUM_PATH`. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Its path. Undefined if none is installed (`apt-get install chromium`); these tests are then skipped. */
export const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== '' && existsSync(file));

/** Starts the browser without background requests. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-background-networking'],
  });
}
