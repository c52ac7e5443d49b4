import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.fault.test.ts'],
    // Rows measure seconds and race processes: one at a time, or they would measure each other.
    fileParallelism: false,
    // What hangs, not what is slow: other work on the machine may make a row take several times as long.
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
