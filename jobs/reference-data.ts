import type { Job } from '../src/ports/job.ts';

/** Hourly: keeps assets, methods, currencies and limits as they were, to judge records by what was in force then. */
export const referenceData: Job = {
  name: 'reference-data',
  summary: 'captures assets, limits, methods, currencies and countries as they are now',
  run: (context) => context.refreshReferenceData(),
};
