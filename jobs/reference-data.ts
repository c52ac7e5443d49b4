import type { Job } from '../src/ports/job.ts';

/** Hourly: captures assets, methods, currencies and limits, so that a record is judged by those in force at its creation. */
export const referenceData: Job = {
  name: 'reference-data',
  summary: 'captures the current assets, limits, methods, currencies and countries',
  run: ({ refreshReferenceData }) => refreshReferenceData(),
};
