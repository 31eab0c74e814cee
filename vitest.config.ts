import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{schemas,harness,reports}/**/*.test.ts', 'suites/self/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
