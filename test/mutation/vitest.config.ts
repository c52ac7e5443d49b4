/** The tests that a mutation of the centre must fail: fast ones, without processes, servers and databases. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{domain,rules,reconcile}/**/*.test.ts', 'test/service/pacing/**/*.test.ts'],
    exclude: ['test/service/pacing/simulation.test.ts'],
    testTimeout: 30_000,
  },
});
