/** The last line of `.ci/run` counts what the runners reported, and nothing else. */
import { describe, expect, it } from 'vitest';
import { MINUTES, STEPS } from '../../.ci/steps.mjs';
import { childSeconds, countsOf, lineOf, sumOf } from '../../.ci/totals.mjs';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

describe('a report of vitest', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [file('passed', 'passed'), file('failed', 'failed')],
  };

  it('gives its tests', () => {
    expect(countsOf('vitest', report, false)).toEqual({ passed: 5, failed: 1, skipped: 3 });
  });

  it('counts a file that could not be loaded as one failure', () => {
    const unloaded = { ...report, numFailedTests: 0, testResults: [file('failed')] };
    expect(countsOf('vitest', unloaded, false)).toEqual({ passed: 5, failed: 1, skipped: 3 });
  });
});

describe('a report of mutants', () => {
  it('counts killed ones as passed and living ones as failed', () => {
    const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'].map((status) => ({
      status,
    }));
    expect(countsOf('mutation', { files: { 'a.ts': { mutants } } }, true)).toEqual({
      passed: 2,
      failed: 2,
      skipped: 0,
    });
  });
});

describe('a step', () => {
  it('that failed without a report is one failure', () => {
    expect(countsOf('vitest', null, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countsOf(undefined, null, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('that failed after a report without a failure is one failure more', () => {
    expect(countsOf('checks', { passed: 3, failed: 0 }, false)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  });

  it('whose program the machine lacks counts nothing', () => {
    expect(countsOf('vitest', { absent: 'LibreOffice is not installed' }, true)).toEqual({
      passed: 0,
      failed: 0,
      skipped: 0,
    });
  });

  it('that passed without a report counts nothing', () => {
    expect(countsOf('vitest', null, true)).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe('the line', () => {
  it('adds up, and names skipped tests only where there are some', () => {
    const sum = sumOf([
      { passed: 2, failed: 0, skipped: 0 },
      { passed: 3, failed: 1, skipped: 0 },
    ]);
    expect(lineOf(sum)).toBe('5 passed, 1 failed');
    expect(lineOf({ ...sum, skipped: 4 })).toBe('5 passed, 1 failed, 4 skipped');
  });
});

describe('processor time', () => {
  it('is that of the ended children, user and system, after a name that holds anything', () => {
    const fields = Array.from({ length: 52 }, (_, at) => at + 1);
    fields[15] = 1_250;
    fields[16] = 75;
    expect(childSeconds([fields[0], '(a name) 1 2)', 'S', ...fields.slice(3)].join(' '))).toBe(13.25);
  });

  it('has a bound for the tests that everybody waits for', () => {
    expect(STEPS.filter((step) => step.yardsticks !== undefined).map(({ name }) => name)).toEqual(['tests']);
  });
});

it('the gate ends within ninety minutes, and what waits for time to be left comes last', () => {
  expect(MINUTES).toBeLessThan(90);
  const waits = STEPS.filter(({ beside }) => !beside).map(({ ifTime }) => ifTime === true);
  expect(waits).toEqual([...waits].sort());
});
