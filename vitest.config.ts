import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{schemas,harness,reports}/**/*.test.ts', 'suites/self/**/*.test.ts'],
    globalSetup: 'suites/self/temporary-folder.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for what they set off: by default one of two processors would be left idle.
    maxWorkers: '100%',
    // A shared build machine can starve whatever waits; what fails three times in a row is broken.
    retry: process.env['CI'] === undefined ? 0 : 2,
  },
});
