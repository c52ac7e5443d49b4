import type { Job } from '../src/ports/job.ts';

/** Every night: whatever is due for the business date, in the order in which a short allowance is best spent. */
export const nightly: Job = {
  name: 'nightly',
  summary: 'verifies everything that is due and publishes the reports of a business date',
  oncePerDate: true,
  announced: 'each run',
  run: async (context) => {
    if (!context.resumes) await context.readSources();
    return context.reconcile(context.selection ?? { type: 'due' });
  },
};
