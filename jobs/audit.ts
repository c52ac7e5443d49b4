import type { Job } from '../src/ports/job.ts';

/** By hand: fetches every record in scope again, of any age and verdict. */
export const audit: Job = {
  name: 'audit',
  summary: 'fetches chosen records of any age again, and publishes reports about them',
  announced: 'each run',
  run: ({ reconcile, selection }) => reconcile(selection ?? { type: 'all', kind: null }),
};
