/** What the reports of the gate's runners count. Pure: parsed reports in, counts out. */

const NONE = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {string | undefined} kind of the report: `vitest`, `mutation`, `checks`, or none
 * @param {any} report parsed; null where the runner wrote none
 * @param {boolean} succeeded whether the step ended with exit code 0, in time
 */
export function countsOf(kind, report, succeeded) {
  const counted = report === null || kind === undefined || report.absent !== undefined ? NONE : READERS[kind](report);
  // A runner that died before or after its report, or has none: the failure must be in the total.
  return !succeeded && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

const READERS = {
  vitest: (report) => {
    // A file that could not be loaded has no tests, so the count of failed tests does not include it.
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
    ).length;
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  },
  /** Of Stryker: a mutant that no test fails on is a failure; one that is not run (ignored, no compile) is none. */
  mutation: (report) => {
    const counts = { ...NONE };
    for (const { mutants } of Object.values(report.files)) {
      for (const { status } of mutants) {
        if (status === 'Killed' || status === 'Timeout') counts.passed++;
        else if (status === 'Survived' || status === 'NoCoverage') counts.failed++;
      }
    }
    return counts;
  },
  /** Of the runners of this project that are no test framework: `{ "passed": 3, "failed": 0 }`. */
  checks: ({ passed, failed }) => ({ passed, failed, skipped: 0 }),
};

export function sumOf(all) {
  const sum = { ...NONE };
  for (const each of all) for (const key of Object.keys(sum)) sum[key] += each[key];
  return sum;
}

/** `N passed, N failed`, and `, N skipped` where something was. */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Processor seconds of the ended children of a process and of theirs, from its `/proc/PID/stat` (fields 16 and 17, in hundredths). */
export function childSeconds(stat) {
  // The second field, a name, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
