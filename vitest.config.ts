import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Starts nothing by itself: a PostgreSQL server comes with the first test that needs one, and goes here.
    globalSetup: ['test/store/postgres/global-setup.ts'],
    exclude: ['test/faults/**', 'test/browser/**', 'node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers than that only makes the tests that run real processes slower.
    maxWorkers: 2,
  },
});
