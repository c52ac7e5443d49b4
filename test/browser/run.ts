/**
 * `npm run test:browser`: the widget page in a real Chromium. Where there is none and none can be installed, it says so and
 * exits 0: a machine without a browser must not fail a build, and no report is written, so that nothing is counted as passed.
 */
import { startVitest } from 'vitest/node';
import { findOrInstallChromium } from './support/chromium.ts';

const found = findOrInstallChromium(process.env.TIEOUT_CHROMIUM, (text) => console.error(text));
if ('missing' in found) {
  console.log(`BROWSER TESTS SKIPPED: ${found.missing}.`);
  console.log('Install Chromium, or name one in TIEOUT_CHROMIUM, to run them.');
} else {
  // Not the configuration of `npm test`, which leaves this folder out. One browser at a time: two cores.
  const report = process.env.TIEOUT_TEST_REPORT;
  const vitest = await startVitest('test', process.argv.slice(2), {
    config: false,
    watch: false,
    include: ['test/browser/**/*.test.ts'],
    env: { TIEOUT_CHROMIUM: found.path },
    maxWorkers: 1,
    ...(report === undefined ? {} : { reporters: ['default', 'json'], outputFile: { json: report } }),
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
  });
  await vitest.close();
}
