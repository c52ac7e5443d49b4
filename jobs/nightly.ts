import type { Job } from '../src/ports/job.ts';

/** Every night: the records due for the business date, in the order in which a short allowance is best spent. */
export const nightly: Job = {
  name: 'nightly',
  summary: 'verifies the due records, and publishes the reports of a business date',
  oncePerDate: true,
  announced: 'each run',
  run: async ({ resumes, readSources, reconcile, selection }) => {
    // A run that is resumed has the figures of its sources already.
    const sources = resumes ? [] : await readSources();
    return reconcile(selection ?? { type: 'due' }, { sources });
  },
};
