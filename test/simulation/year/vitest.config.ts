/** The whole year on both stores: a quarter of an hour, so it has a command of its own (`npm run test:year`). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: it is what vitest reads.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    globalSetup: ['test/support/in-memory.ts', 'test/support/run-folder.ts', 'test/store/postgres/global-setup.ts'],
    include: ['test/simulation/year/year.test.ts'],
    env: { TIEOUT_SIMULATION: 'year' },
    maxWorkers: 1,
  },
});
