import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/faults/harness/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.fault.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    // More than there are cores, as many rows mostly wait: what they promise is counted, and where seconds are given they are bounds.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What hangs, not what is slow: other work on the machine may make a row take several times as long.
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
