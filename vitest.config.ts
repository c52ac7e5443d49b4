import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ELSEWHERE = ['test/faults/**', 'test/browser/**', 'test/spreadsheets/**', ...configDefaults.exclude];
/** What costs too much for each change: `npm run test:long`, and a step of the gate. CONTRIBUTING.md lists it with the reasons. */
const LONG = ['test/**/*.long.test.ts'];
/** It replaces a module, which the files of one process share. */
const APART = ['test/app/main-line.test.ts'];

/** Files of ten seconds and more, which would run on alone at the end: in a new checkout vitest knows no times, and sorts by size. */
const FIRST = [
  'test/store/contract.test.ts',
  'test/invariants/invariants.test.ts',
  'test/e2e/exit-codes.test.ts',
  'test/upgrade/upgrade.test.ts',
  'test/store/processes.test.ts',
  'test/simulation/year/year.test.ts',
  'test/store/seals.test.ts',
  'test/e2e/interruptions.test.ts',
  'test/e2e/threads.test.ts',
  'test/e2e/set-aside.test.ts',
  'test/e2e/own-folder.test.ts',
  'test/e2e/sandbox.test.ts',
  'test/demo.test.ts',
];

class CostlyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? FIRST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // None of them starts anything: a PostgreSQL server comes with the first test that needs one, and goes here.
    globalSetup: ['test/support/in-memory.ts', 'test/support/run-folder.ts', 'test/store/postgres/global-setup.ts'],
    setupFiles: process.env.TIEOUT_TEST_PROCESSOR === undefined ? [] : ['test/times/processor.ts'],
    // For what hangs: beside other work, a server that starts or a process that saves has taken half a minute, and a test two.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 60_000 } },
    // Two cores: the third worker computes while another one waits for a process, a server or a moment.
    maxWorkers: 3,
    // A sequencer of one's own would undo `--sequence.shuffle`.
    sequence: process.argv.some((arg) => arg.includes('shuffle')) ? {} : { sequencer: CostlyFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'tieout',
          include: ['test/**/*.test.ts'],
          exclude: [...ELSEWHERE, ...LONG, ...APART],
          // Loading the program takes longer than most files: those of one process load it once.
          isolate: false,
          // Node strips the types itself, as it does for the program: what is tested is what runs, and nothing has to be transformed
          // first. It takes no more of the processor (docs/contributing/test-times.md). Such files cannot replace a module.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      // Groups, because a process is kept only while files of its project follow each other.
      { extends: true, test: { name: 'apart', include: APART, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'long', include: LONG, exclude: ELSEWHERE, sequence: { groupOrder: 2 } } },
    ],
  },
});
