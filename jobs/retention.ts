import type { Job } from '../src/ports/job.ts';

/** Weekly: deletes evidence texts, deliveries, figures and reference data that are past their retention, in small transactions beside other work. */
export const retention: Job = {
  name: 'retention',
  summary: 'deletes evidence, deliveries, figures and reference data past their `retention`',
  run: ({ prune }) => prune(),
};
