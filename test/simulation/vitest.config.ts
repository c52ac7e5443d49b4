/** The whole quarter: minutes, so it has a command of its own (`npm run test:quarter`). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: it is what vitest reads.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/simulation/quarter.test.ts'],
    env: { TIEOUT_SIMULATION: 'quarter' },
    maxWorkers: 1,
  },
});
