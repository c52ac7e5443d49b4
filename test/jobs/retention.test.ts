import { expect, it } from 'vitest';
import { retention } from '../../jobs/retention.ts';
import type { JobEdges, JobResult } from '../../src/ports/job.ts';

it('prunes once, and makes no run', async () => {
  const done: JobResult = {
    outcome: 'pruned',
    pruned: { bodies: 2, sealedBodies: 0, deliveries: 1, snapshots: 0, captures: 0, contents: 0 },
  };
  let times = 0;
  const edges = {
    prune: async () => {
      times++;
      return done;
    },
  };
  expect(await retention.run(edges as unknown as JobEdges)).toBe(done);
  expect(times).toBe(1);
});
