import type { Job } from '../src/ports/job.ts';

/** On a CREATED webhook: asks for a quote within minutes of the creation, for a record whose quote the application did not store. */
export const quotes: Job = {
  name: 'quotes',
  summary: 'captures a quote for every new record that has none',
  withoutOut: true,
  run: ({ captureQuotes }) => captureQuotes(),
};
