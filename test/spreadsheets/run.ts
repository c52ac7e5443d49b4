/**
 * `npm run test:spreadsheets`: the published files in LibreOffice. Where it is not installed, it says so and exits 0: a machine without
 * it must not fail a build, and the report says that it was absent, so that nothing is counted as passed.
 */
import { writeFileSync } from 'node:fs';
import { startVitest } from 'vitest/node';
import { findOffice } from './office.ts';

const office = findOffice();
const report = process.env.TIEOUT_TEST_REPORT;
if (office === null) {
  const absent = 'LibreOffice is not installed';
  console.log(`skipped: ${absent}`);
  if (report !== undefined) writeFileSync(report, JSON.stringify({ absent }));
} else {
  // Not the configuration of `npm test`, which leaves this folder out. One office at a time.
  const vitest = await startVitest('test', process.argv.slice(2), {
    config: false,
    watch: false,
    include: ['test/spreadsheets/**/*.test.ts'],
    env: { TIEOUT_SOFFICE: office },
    maxWorkers: 1,
    ...(report === undefined ? {} : { reporters: ['default', 'json'], outputFile: { json: report } }),
  });
  await vitest.close();
}
