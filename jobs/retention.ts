import type { Job } from '../src/ports/job.ts';

/** Weekly: deletes evidence texts, deliveries and figures that are past their retention, in small transactions beside other work. */
export const retention: Job = {
  name: 'retention',
  summary: 'deletes evidence texts, deliveries and unused figures older than `retention`',
  run: ({ prune }) => prune(),
};
