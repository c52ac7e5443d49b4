/**
 * The tests that a mutation of the centre must fail: without processes and servers of other programs, since each of
 * thousands of mutants runs those that reach it. Some take the whole application with a real SQLite file in.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/{domain,rules,reconcile,jobs,publish,runner,intake,worklist,periods,service}/**/*.test.ts',
      'test/store/*.test.ts',
      'test/e2e/{period,period-cases,golden}.test.ts',
      'test/app/library/library.test.ts',
    ],
    // The last adds a million tokens, each through the counters of coverage.
    exclude: [
      'test/service/pacing/simulation.test.ts',
      'test/store/processes.test.ts',
      'test/service/known-tokens-cost.test.ts',
      'test/**/*.long.test.ts',
    ],
    globalSetup: ['test/support/run-folder.ts'],
    // A server would come with the global set-up, of which each of the runners would start one.
    env: { TIEOUT_TEST_POSTGRES: 'off' },
    testTimeout: 30_000,
    // The first start of a server compiles everything that it imports, with the mutants in it.
    hookTimeout: 60_000,
  },
});
