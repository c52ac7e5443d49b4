import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.fault.test.ts'],
    globalSetup: ['test/support/compile-cache.ts'],
    // Two at a time, one for each core: what rows promise is counted, not timed, and where seconds are given they are bounds.
    maxWorkers: 2,
    // What hangs, not what is slow: other work on the machine may make a row take several times as long.
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
