import type { Job } from '../src/ports/job.ts';

/** By hand: fetches everything in scope again, whatever its age or verdict. */
export const audit: Job = {
  name: 'audit',
  summary: 'fetches chosen records again, whatever their age, and publishes reports about them alone',
  announced: 'each run',
  run: ({ reconcile, selection }) => reconcile(selection ?? { type: 'all', kind: null }),
};
