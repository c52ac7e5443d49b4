import { configDefaults, defineConfig } from 'vitest/config';

const ELSEWHERE = ['test/faults/**', 'test/browser/**', 'test/spreadsheets/**', ...configDefaults.exclude];

export default defineConfig({
  test: {
    // Neither starts anything: a PostgreSQL server comes with the first test that needs one, and goes here.
    globalSetup: ['test/support/run-folder.ts', 'test/store/postgres/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers than that only makes the tests that run real processes slower.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'tieout', include: ['test/**/*.test.ts'], exclude: [...ELSEWHERE, 'test/spec/**'] },
      },
      // Each file loads the whole sandbox, which costs more than its tests: they share one.
      { extends: true, test: { name: 'spec', include: ['test/spec/**/*.test.ts'], isolate: false } },
    ],
  },
});
