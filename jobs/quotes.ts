import type { Job } from '../src/ports/job.ts';

/** On a CREATED webhook: a quote taken within minutes stands in for the one that nobody stored. */
export const quotes: Job = {
  name: 'quotes',
  summary: 'asks for a quote for every record just created that has none yet',
  run: (context) => context.captureQuotes(),
};
