import { beforeAll, type RunnerTestSuite } from 'vitest';

/**
 * Called at the top of a file whose tests tell one story, each going on from where the one before ended: a seed that shuffles tests
 * (`--sequence.shuffle`) leaves them as they are written.
 */
export function inThisOrder(): void {
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the first argument which fixtures a hook uses
  beforeAll(({}, suite) => keepOrder(suite as RunnerTestSuite));
}

function keepOrder(suite: RunnerTestSuite): void {
  suite.shuffle = false;
  for (const task of suite.tasks) if (task.type === 'suite') keepOrder(task);
}
