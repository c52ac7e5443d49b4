/** The whole quarter, and 20,000 records: minutes, so they have a command of their own (`npm run test:quarter`). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: it is what vitest reads.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    globalSetup: ['test/support/run-folder.ts'],
    include: [
      'test/simulation/quarter.test.ts',
      'test/simulation/first-night/judged.long.ts',
      'test/invariants/invariants.test.ts',
    ],
    env: { TIEOUT_SIMULATION: 'quarter' },
    maxWorkers: 1,
  },
});
